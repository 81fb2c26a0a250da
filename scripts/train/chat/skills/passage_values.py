"""What the passages are about: who or what can be told of in each domain, and the values that can be told."""
from texts.pools import ADJECTIVES, ANIMALS, COLORS, MONTHS, NOUNS, WEEKDAYS

HOBBIES = "swimming,reading,dancing,painting,cooking,fishing,running,singing,climbing,sailing,knitting,gardening,skiing,cycling,hiking,writing poems,playing chess,collecting stamps,taking photos,baking bread".split(",")
INSTRUMENTS = "piano violin guitar flute drum harp trumpet cello organ banjo saxophone clarinet".split()
TRANSPORT = "train bus car plane ship bike boat taxi tram ferry".split()
MATERIALS = "wood stone glass iron gold silver paper copper clay leather brick wool cotton steel marble".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth last".split()
GOODS = "fresh bread,old books,flowers,fish,shoes,bicycles,cheese,toys,honey,maps,lamps,tea,coffee,hats,clocks,cakes,paint,seeds,soap,candles,ice cream,apples,music,tools,wine".split(",")
SHOPS = "bakery,bookshop,pharmacy,cafe,flower shop,bike shop,market,library,museum,post office,shoe shop,toy shop,restaurant,bank,hotel,cinema,butcher,tea house,fish shop,barber,garage,gallery,pool,school".split(",")
DISHES = "cake soup pie bread salad stew curry pancake pudding sauce pizza".split()
EVENTS = "concert lesson meeting party course market fair race game talk dinner show wedding workshop exam play picnic trip parade festival dance".split()
SPOTS = ["on the {}", "under the {}", "behind the {}", "next to the {}", "in the {}", "near the {}", "in front of the {}"]
DRINKS = "tea,coffee,milk,water,juice,lemonade,cocoa,apple juice,orange juice,wine,beer,hot chocolate,green tea".split(",")
SUBJECTS_TAUGHT = "history music biology mathematics physics French Spanish German Latin geography chemistry law medicine art Japanese drawing".split()
RELATIVES = "brother sister mother father friend son daughter uncle aunt cousin teacher boss neighbor wife husband grandmother best_friend".split()


def regular(noun):
    return noun.isalpha() and not noun.endswith(("s", "x", "y", "h", "z", "f", "fe", "man", "foot", "mouse", "o"))


PLURALS = [n for n in NOUNS if regular(n)]


def price(g):
    r = g.r.random()
    if r < 0.55:
        return f"{g.integer(2, 99) if r < 0.4 else g.integer(100, 990)} {g.r.choice(['dollars', 'dollars', 'euros', 'pounds', 'coins'])}"
    amount = g.unheld(lambda: f"{g.r.randint(1, 30)}.{g.r.choice(['50', '20', '80', '99', '25', '75', '10', '90'])}")
    return f"${amount}" if r > 0.85 else f"{amount} {g.r.choice(['dollars', 'euros'])}"


def clock(g):
    r = g.r.random()
    if r < 0.5:
        return g.unheld(lambda: f"{g.r.randint(5, 22)}:{g.r.choice(['00', '15', '30', '45', '10', '20', '40', '50'])}")
    if r < 0.75:
        return f"{g.integer(1, 12)} {g.r.choice(['am', 'pm'])}"
    return f"{g.r.choice(['half past ', 'quarter past ', 'quarter to ', '', ''])}{g.r.choice(NUMBER_WORDS)}" if r < 0.9 else f"{g.integer(1, 12)} o'clock"


NUMBER_WORDS = "two three four five six seven eight nine ten eleven".split()


def small(g):
    return g.r.choice(NUMBER_WORDS) if g.chance(0.4) else str(g.integer(2, 12))


def phone(g):
    return g.unheld(lambda: "-".join(str(g.r.randint(10 ** (n - 1), 10 ** n - 1)) for n in g.r.choice([(3, 4), (3, 3), (4,), (6,), (2, 4)])))


def date(g):
    return g.unheld(lambda: g.r.choice(["{m} {d}", "{d} {m}"]).format(m=g.r.choice(MONTHS), d=g.r.randint(1, 28)))


def spot(g):
    return g.r.choice(SPOTS).format(g.room() if g.chance(0.4) else g.noun())


def room(g):
    return g.r.choice([f"room {g.integer(1, 99)}", f"the {g.noun()} hall", f"the {g.room()}", f"{g.city()}", f"the old {g.noun()}"])


def street(g):
    return g.unheld(lambda: g.r.choice([g.noun().capitalize(), g.name(), g.invented().capitalize()]) + g.r.choice([" Street", " Road", " Lane", " Square", " Street"]))


def among(items):
    return lambda g: g.r.choice(items)


def whole(low, high):
    return lambda g: str(g.integer(low, high))


VALUES = {
    "town": lambda g: g.city(), "name": lambda g: g.name(), "job": lambda g: g.job(), "animal": lambda g: g.animal(), "age": whole(3, 99), "food": lambda g: g.food(),
    "color": among(COLORS), "hobby": among(HOBBIES), "number": whole(10, 999),
    "small": small, "instrument": among(INSTRUMENTS), "noun": lambda g: g.noun(), "month": among(MONTHS), "clock": clock, "street": street,
    "price": price, "goods": among(GOODS), "weekday": among(WEEKDAYS), "phone": phone,
    "year": whole(1700, 2029), "transport": among(TRANSPORT), "spot": spot, "room": room, "material": among(MATERIALS), "code": lambda g: g.code(),
    "word": lambda g: g.word(), "adjective": lambda g: g.of(ADJECTIVES), "ordinal": among(ORDINALS), "title": lambda g: g.noun().capitalize(),
    "points": whole(2, 99), "grams": whole(50, 900), "degrees": whole(60, 250), "minutes": whole(5, 99), "big": whole(10, 2000), "date": date,
    "drink": among(DRINKS), "subject": among(SUBJECTS_TAUGHT),
}
KINDS = {
    "person": dict(town="town", job="job", pet="name", animal="animal", age="age", food="food", color="color", car="color", hobby="hobby",
        number="number", children="small", instrument="instrument", friend="name", street="street", wakes="clock", drink="drink", phone="phone",
        arrives="date", subject="subject", lost="noun", bought="noun", found="noun", sold="noun", brought="noun", birthday="month"),
    "shop": dict(opens="clock", closes="clock", owner="name", street="street", price="price", sells="goods", rest="weekday", phone="phone", since="year", workers="points"),
    "trip": dict(to="town", by="transport", leaves="clock", day="weekday", ticket="price", stay="small", hotel="title", packs="noun") | {"with": "name"},
    "team": dict(city="town", points="points", captain="name", coach="name", shirts="color", wins="small", ground="title", place="ordinal"),
    "recipe": dict(flour="grams", eggs="small", minutes="minutes", heat="degrees", serves="small", cook="name", secret="food", day="weekday"),
    "stock": dict(count="big", place="spot", color="color", price="price", owner="name", code="code"),
    "thing": dict(place="spot", color="color", price="price", owner="name", made_of="material", year="year", size="big", weight="big", word="word"),
    "event": dict(day="weekday", time="clock", room="room", leader="name", price="price", guests="big", bring="noun", hours="small"),
    "animal": dict(name="name", eats="food", age="age", color="color", weight="big", sleeps="spot", keeper="name") | {"from": "town"},
}
# Attributes between which a question is in doubt.
RIVALS = [{"town", "street"}, {"pet", "animal"}, {"leaves", "day"}, {"day", "time"}, {"lost", "brought"}, {"bought", "brought"}, {"animal", "brought"}, {"pet", "brought"}]


def shop(g):
    kind, r = g.r.choice(SHOPS), g.r.random()
    if r < 0.4:
        return f"the {kind}"
    if r < 0.75:
        return f"{g.name()}'s {kind}" if r < 0.6 else f"the {kind} {g.name()}"
    return f"the {g.of(ADJECTIVES).capitalize()} {g.noun().capitalize()}"


def team(g):
    noun = g.of(PLURALS).capitalize() + "s"
    return g.r.choice([f"the {noun}", f"the {g.r.choice(COLORS).capitalize()} {noun}", f"the {g.of(ADJECTIVES).capitalize()} {noun}", f"the {g.invented().capitalize()}s"])


def dish(g):
    return g.r.choice([f"the {g.noun()} {g.r.choice(DISHES)}", f"{g.name()}'s {g.r.choice(DISHES)}", f"the {g.r.choice(DISHES)}",
                       f"the {g.of(ADJECTIVES)} {g.r.choice(DISHES)}"])


def event(g):
    return g.r.choice([f"the {g.r.choice(EVENTS)}", f"the {g.noun()} {g.r.choice(EVENTS)}", f"the {g.of(ADJECTIVES)} {g.r.choice(EVENTS)}",
                       f"{g.name()}'s {g.r.choice(EVENTS)}"])


def thing(g):
    return g.noun() if g.chance(0.7) else f"{g.of(ADJECTIVES)} {g.noun()}"


SUBJECTS = {"person": lambda g: g.name(), "shop": shop, "trip": lambda g: g.name(), "team": team, "recipe": dish, "stock": lambda g: g.of(PLURALS) + "s", "thing": thing, "event": event, "animal": among(ANIMALS)}
PRONOUNS = {"person": ["He", "She"], "trip": ["He", "She"], "team": ["They"], "stock": ["They"]}
