"""Values of tool parameters: what a person says, what stands in the call, and the parameter's JSON Schema."""
from texts.pools import ADJECTIVES, COLORS, JOBS, ROOMS, WEEKDAYS, Gen

LANGUAGES = "English French German Spanish Italian Dutch Polish Swedish Greek Turkish Japanese Chinese Russian Portuguese Danish Finnish".split()
DAYS = [*WEEKDAYS, "today", "tomorrow"]
CURRENCIES = "USD EUR GBP JPY CHF CAD AUD dollars euros pounds yen francs".split()
UNITS = "meters feet miles kilometers inches centimeters kilograms pounds grams ounces liters gallons".split()
CUISINES = "Italian French Chinese Indian Mexican Thai Greek Turkish Japanese Spanish vegan".split()
DIRECTIONS = "forward back left right up down north south east west".split()
ENDINGS = "txt md csv json py pdf log png".split()
CLOSED = {"language": LANGUAGES, "day": DAYS, "room": ROOMS, "currency": CURRENCIES, "unit": UNITS, "cuisine": CUISINES, "direction": DIRECTIONS, "color": COLORS, "job": JOBS}
OPEN = {"job": Gen.job, "room": Gen.room, "animal": Gen.animal, "food": Gen.food}  # where a schema closes them, it lists some of CLOSED
NUMBERS = {"small": (2, 9), "degrees": (15, 28), "stars": (1, 5), "age": (18, 90)}


def clock(g):
    """A time of day as people write it."""
    return g.unheld(lambda: any_clock(g))


def any_clock(g):
    x = g.r.random()
    if x < 0.4:
        return f"{g.r.randint(0, 23):02d}:{g.r.choice(['00', '15', '30', '45', '10', '05', '50'])}"
    if x < 0.7:
        return f"{g.r.randint(1, 12)} {g.r.choice(['am', 'pm'])}"
    return f"{g.r.randint(1, 12)}:{g.r.choice(['00', '15', '30', '45'])}{g.r.choice([' am', ' pm', ''])}"


def price(g):
    return g.unheld(lambda: f"{g.r.randint(1, 400)}.{g.r.choice(['50', '99', '25', '95', '75', '5'])}") if g.chance(0.5) else g.number(3)


def path(g):
    name = g.noun() + g.r.choice(["", "", "_" + g.noun(), str(g.r.randint(1, 9))])
    return g.unheld(lambda: g.r.choice(["", "", g.noun() + "/", "/" + g.noun() + "/"]) + name + "." + g.r.choice(ENDINGS))


def folder(g):
    return g.unheld(lambda: g.r.choice(["", "/", "./", "~/"]) + g.noun() + g.r.choice(["", "", "/", "/" + g.noun(), "_" + g.noun()]))


def words(g, low, high):
    """A few words with no mark at the end and no quotation marks in them."""
    return g.phrase(low, high).rstrip(".!?,:;- ") or g.noun()


def sentence(g):
    """A short everyday text."""
    who, thing = g.name(), g.noun()
    if g.chance(0.2):
        return f"{thing} and {g.noun()}"
    forms = ["I am late", "See you at {c}", "The {n} is ready", "Buy {n}", "Call {w}", "Meeting with {w}", "Happy birthday {w}", "Where is the {n}?", "Dinner at {c}",
             "Bring the {n}", "I will come at {c}", "Good morning", "Thank you", "the {n} is broken", "water the {n}", "pick up {w}", "Lunch with {w}", "How are you?", "pay the {n}", "feed the {n}", "visit {w}", "clean the {n}", "The {a} {n} is here",
             "I have the {n}", "{w} is waiting", "We need more {n}", "take the {n} to {w}", "The meeting is at {c}", "{a} {n}", "I am at the {n}", "Sorry, {w}", "buy a {a} {n}"]
    return g.r.choice(forms).format(n=thing, w=who, c=clock(g), a=g.of(ADJECTIVES))


def text_of(g, kind):
    """What a person says for a parameter that is a string."""
    if kind in OPEN:
        return OPEN[kind](g)
    if kind in CLOSED:
        return g.r.choice(CLOSED[kind])
    if kind == "city":
        return g.unheld(lambda: g.city() + (g.r.choice([", CA", ", France", ", MA", ", Germany"]) if g.chance(0.05) else ""))
    if kind == "ticker":
        return g.unheld(lambda: "".join(g.r.choice("ABCDEFGHIKLMNOPRSTVXZ") for _ in range(g.r.randint(2, 4))))
    if kind == "email":
        return g.unheld(lambda: g.r.choice([g.name().lower(), g.invented()]) + "@" + g.invented() + g.r.choice([".com", ".org", ".net"]))
    if kind == "sum":
        return g.unheld(lambda: f"{g.number(3)} {g.r.choice('+-*/')} {g.number(3)}")
    if kind == "saying" and g.chance(0.5):
        return g.word()
    if kind in ("phrase", "saying"):
        return g.unheld(lambda: sentence(g) if g.chance(0.5) else words(g, 2, 5))
    makers = {"name": g.name, "topic": lambda: g.unheld(lambda: words(g, 1, 3)), "title": lambda: g.unheld(lambda: words(g, 1, 4)), "code": g.code,
              "clock": lambda: clock(g), "path": lambda: path(g), "folder": lambda: folder(g)}
    return makers.get(kind, g.word)()


def value(g, kind):
    """(what is said, the value in the call, the schema)."""
    if kind in NUMBERS or kind == "int":
        n = g.integer(*NUMBERS[kind]) if kind in NUMBERS else int(g.number(3 if g.chance(0.9) else 5))
        return str(n), n, {"type": "integer" if g.chance(0.6) else "number"}
    if kind in ("price", "decimal"):
        text = price(g)
        return text, float(text) if "." in text else int(text), {"type": "number"}
    if kind == "switch":
        text = g.r.choice(["on", "off"])
        return (text, text == "on", {"type": "boolean"}) if g.chance(0.4) else (text, text, {"type": "string", "enum": ["on", "off"]} if g.chance(0.7) else {"type": "string"})
    text = text_of(g, kind)
    schema = {"type": "string"}
    if kind in CLOSED and g.chance(0.25):
        options = g.r.sample(CLOSED[kind], g.r.randint(2, 4))
        schema["enum"] = options if text in options else [*options[1:], text]
    return text, text, schema
