"""Values of JSON fields: what a person says and what stands in the object."""
from texts.pools import ADJECTIVES, COLORS, MONTHS, WEEKDAYS
from skills.tool_values import LANGUAGES, clock, price, text_of, words

STATUS = "open closed pending ready done blocked active new cancelled waiting".split()
WEATHER = "sunny cloudy rainy windy foggy snowy stormy".split()
SIZES = ["S", "M", "L", "XL", "small", "medium", "large"]
PRIORITY = ["low", "high", "medium", "normal"]
NUMBERS = {"small": (2, 9), "stars": (1, 5), "age": (18, 95), "int": (2, 999), "int4": (1000, 99999), "year": (1900, 2030), "cm": (140, 205), "degrees": (0, 40)}
CLOSED = {"color": COLORS, "language": LANGUAGES, "status": STATUS, "weather": WEATHER, "size": SIZES, "priority": PRIORITY, "weekday": WEEKDAYS}
KEYS = """id name value label text title kind level count size color code user group unit mode note score total price amount width height depth weight length speed rank step
phase index limit city country street room floor seat team player winner owner author status state active enabled visible done valid public paid first_name last_name user_name
pet job animal food language year month day weekday hour minute date time page seat shelf reader writer host guest customer product thing place mother friend
order_id start_date end_date start_time phone_number zip_code item_count max_value min_value is_new is_open tags items names colors""".split()
KIND_OF = {k: k for k in "job animal food language year color weekday city room status title".split()} | {"pet": "animal", "day": "weekday", "hour": "small", "reader": "name", "author": "name", "owner": "name"}
BOOLS = set("active enabled visible done valid public paid is_new is_open".split())
LISTS = set("tags items names colors".split())
NUMERIC = set("count level score total price amount width height depth weight length speed rank step index limit floor item_count max_value min_value size".split())


def joined(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def listed(g, makers):
    items = [g.r.choice(makers)() for _ in range(g.r.choice([2, 2, 3, 3, 4, 4, 5]))]
    x = g.r.random()
    return joined(items) if x < 0.4 else " and ".join(items) if x < 0.75 else ", ".join(items), items


def value(g, kind):
    """(what is said, what stands in the object)."""
    if kind in NUMBERS:
        n = g.integer(*NUMBERS[kind])
        return str(n), n
    if kind in CLOSED:
        word = g.r.choice(CLOSED[kind])
        return word, word
    if kind == "price":
        text = price(g)
        return text, float(text) if "." in text else int(text)
    if kind == "decimal":
        text = g.unheld(lambda: f"{g.r.randint(0, 99)}.{g.r.randint(1, 9)}") if g.chance(0.7) else g.number(2)
        return text, float(text) if "." in text else int(text)
    if kind == "list":
        return listed(g, [g.noun, g.noun, lambda: g.of(ADJECTIVES), g.invented])
    if kind == "names":
        return listed(g, [g.name])
    text = word_of(g, kind)
    return text, text


def title(g):
    """Of a book: as it is printed, or as a thing is named."""
    forms = ["The {a} {n}", "{n} {m}", "{n} and {m}", "A {n}", "{a} {n}", "{n}"], ["the {a} {n}", "{a} {n}", "{n}", "the {n}", "the {n} of {c}"]
    printed = g.chance(0.5)
    text = g.unheld(lambda: g.r.choice(forms[0 if printed else 1]).format(a=g.of(ADJECTIVES), n=g.noun(), m=g.noun(), c=g.city()))
    return text.title().replace(" And ", " and ") if printed else text


def word_of(g, kind):
    if kind == "day2":
        return g.r.choice(WEEKDAYS) if g.chance(0.5) else g.unheld(lambda: f"{g.r.choice(MONTHS)} {g.r.randint(1, 28)}") if g.chance(0.6) else g.unheld(lambda: f"20{g.r.randint(10, 40)}-{g.r.randint(1, 12):02d}-{g.r.randint(1, 28):02d}")
    if kind == "phone":
        return g.unheld(lambda: g.r.choice(["", "+49 ", "0"]) + f"{g.r.randint(100, 999)} {g.r.randint(1000, 99999)}")
    if kind == "street":
        return g.unheld(lambda: f"{g.noun().capitalize()} {g.r.choice(['Street', 'Road', 'Lane', 'Avenue'])} {g.r.randint(1, 99)}")
    if kind in ("noun", "noun2"):
        return g.noun() if g.chance(0.75) else g.unheld(lambda: g.of(ADJECTIVES) + " " + g.noun())
    if kind == "title":
        return title(g)
    if kind == "pet":
        return g.name() if g.chance(0.5) else g.animal()
    if kind == "invented":
        return g.invented().capitalize()
    if kind == "clock":
        return clock(g)
    if kind == "city":
        return g.city()
    if kind == "name":
        return g.full_name()
    if kind == "words":
        return g.unheld(lambda: words(g, 2, 4))
    return text_of(g, kind)


def invented_field(g):
    """A field of any name: {"key", "said", "value", "part"}."""
    x = g.r.random()
    key = g.r.choice(KEYS) if x < 0.55 else g.noun() if x < 0.75 else g.unheld(lambda: g.noun() + "_" + g.r.choice(KEYS).split("_")[0]) if x < 0.88 else g.invented()
    last = key.split("_")[-1] if key not in BOOLS else key
    if key in BOOLS or key.startswith("is_") or (x >= 0.55 and g.chance(0.1)):
        true = g.chance(0.5)
        return {"key": key, "said": g.r.choice(["true", "yes", "true"] if true else ["false", "no", "false"]), "value": true, "part": ""}
    if last in LISTS or (x >= 0.55 and g.chance(0.1)):
        kind = "names" if last == "names" else "list"
    elif key in NUMERIC or last in NUMERIC:
        kind = g.r.choice(["int", "int", "small", "decimal", "price"])
    else:
        kind = KIND_OF.get(last) if g.chance(0.6) else None
        kind = kind or g.r.choice(["word", "word", "name", "name", "city", "city", "code", "color", "int", "int", "small", "decimal", "noun", "noun", "words", "title", "day2", "clock", "email", "animal", "job", "food", "language", "weekday"])
    said, kept = value(g, kind)
    quoted = isinstance(kept, str) and g.chance(0.15)
    return {"key": key, "said": f'"{said}"' if quoted else said, "value": kept, "part": ""}
