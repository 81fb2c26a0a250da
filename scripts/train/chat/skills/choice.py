"""Choices between a few things: the largest number, the longest word, the one that is a colour; yes or no about a number."""
from texts.manner import article, ask, capital, manner, pick
from texts.pools import ADJECTIVES, ANIMALS, CITIES, COLORS, FOODS, JOBS, MONTHS, NAMES, NOUNS, WEEKDAYS, is_held
from texts.sample import sample
from skills.sums import compare_thought, one_of_one_digit
from skills.tool_values import LANGUAGES

KINDS = {"a color": COLORS, "an animal": ANIMALS[:13], "a city": CITIES, "a name": NAMES, "a job": JOBS, "a food": FOODS, "a language": LANGUAGES, "a day": WEEKDAYS, "a month": MONTHS}
OTHER = [w for w in NOUNS if w not in set(COLORS + ANIMALS + JOBS + FOODS)]


def choice(g):
    """One of several, by a rule."""
    return g.r.choices([compared, extreme, kind, length, parity, preference, begins], [60, 24, 18, 10, 10, 10, 6])[0](g)


def listed(g, items):
    x = g.r.random()
    if x < 0.4:
        return ", ".join(items[:-1]) + " or " + items[-1]
    if x < 0.6:
        return ", ".join(items[:-1]) + " and " + items[-1]
    return ", ".join(items) if x < 0.9 else " ".join(items)


def numbers(g, n):
    """`n` different numbers below 100 of which no two make a held pair."""
    while True:
        found = g.r.sample(range(100), n)
        if not any(is_held(f"{a}?{b}") for a in found for b in found if a != b) or n > 2:
            return found


def extreme(g):
    """The largest or smallest of three to five numbers."""
    found = numbers(g, g.r.choice([3, 3, 4, 5]))
    which = g.r.choice(["largest", "smallest"])
    right, best, steps = found[0], max if which == "largest" else min, []
    for n in found[1:]:
        steps.append(f"{right} or {n}: {best(right, n)}")
        right = best(right, n)
    return sample(ask(g, "choice", which, list=listed(g, [str(n) for n in found])), f"The {which}: " + "; ".join(steps) + f". So {right}.", f"{right} is the {which}.")


def two_nouns(g):
    """Two different things."""
    a, b = g.noun(), g.noun()
    while b == a:
        b = g.noun()
    return a, b


# (units, what is said of a thing with an amount, in a list, those with more, those with less); the last two are (adjectives, verbs).
AMOUNTS = [
    ("kilos grams pounds tons kg", "weighs {n}", "of {n}", ("heavier", "weighs more"), ("lighter", "weighs less")),
    ("dollars euros coins pounds cents francs", "costs {n}", "for {n}", ("more expensive,dearer", "costs more"), ("cheaper,less expensive", "costs less,is cheaper")),
    ("meters cm inches feet", "is {n} long", "of {n}", ("longer", "is longer"), ("shorter", "is shorter")),
    ("meters cm feet inches", "is {n} tall", "of {n}", ("taller,higher", "is taller"), ("lower,smaller", "is smaller")),
    ("years months weeks days", "is {n} old", "of {n}", ("older", "is older"), ("younger,newer", "is newer")),
    ("minutes hours days seconds", "takes {n}", "with {n}", ("slower", "takes longer,takes more time"), ("faster,quicker", "takes less time")),
    ("minutes hours weeks years", "lasts {n}", "for {n}", ("longer lasting", "lasts longer"), ("shorter lasting", "ends first")),
    ("degrees", "has {n}", "of {n}", ("hotter,warmer", "is warmer"), ("colder,cooler", "is colder")),
    ("liters cups bottles buckets", "holds {n}", "for {n}", ("bigger,larger", "holds more"), ("smaller", "holds less")),
    ("points goals wins votes", "has {n}", "with {n}", ("better,stronger", "has more"), ("weaker,worse", "has fewer")),
    ("rooms pages doors parts windows", "has {n}", "with {n}", ("bigger,larger", "has more"), ("smaller", "has fewer")),
]


def amounts_of_two(g):
    """Two different amounts from 1 to 99, in nearly half of the pairs one below ten beside one with two digits."""
    while True:
        x, y = one_of_one_digit(g) if g.chance(0.45) else numbers(g, 2)
        if min(x, y) > 0 and not any(is_held(f"{a}?{b}") for a, b in ((x, y), (y, x))) and not any(n > 9 and is_held(str(n)) for n in (x, y)):
            return x, y


def compared(g):
    """One of two things by how much of something they have."""
    units, has, listed_as, *ways = g.r.choice(AMOUNTS)
    unit, more = g.r.choice(units.split()), g.chance(0.5)
    x, y = amounts_of_two(g)
    a, b = two_nouns(g)
    adjective, verb = (g.r.choice(part.split(",")) for part in ways[0 if more else 1])
    right = a if (x > y) == more else b
    words = {"a": a, "b": b, "adj": adjective, "more": verb}
    amounts = {"x": f"{x} {unit}", "y": f"{y} {unit}"}
    if g.chance(0.3):
        template = pick(g, "choice", "compared_whole").replace("{with} {x}", listed_as.format(n="{x}")).replace("{with} {y}", listed_as.format(n="{y}"))
        user = capital(manner(g, template).format(**words, **amounts))
    else:
        told, asked = pick(g, "choice", "compared"), manner(g, pick(g, "choice", "compared_ask"))
        told = told.replace("{is} {x}", has.format(n="{x}")).replace("{is} {y}", has.format(n="{y}"))
        parts = [capital(told.format(**words, **amounts)), capital(asked.format(**words))]
        user = " ".join(parts if g.chance(0.85) or asked[-1:] not in ("?", ".") else parts[::-1])
    # A letter stands before each thing, so that the right one is found again by what followed its letter.
    thought = f"A {a} {x}, B {b} {y}. {compare_thought('larger' if more else 'smaller', (x, 'A'), (y, 'B'))} {right}."
    # It compares before it chooses, also where it does not think.
    which = f"{max(x, y) if more else min(x, y)}, the {'first' if right == a else 'second'} one"
    reply = f"The {'larger' if more else 'smaller'} of {x} and {y} is {which}: the {right}."
    return sample(article(user), thought, reply)


def kind(g):
    """Which of the words is a colour, an animal, a city ..."""
    what = g.r.choice(list(KINDS))
    right = g.r.choice(KINDS[what]) if what in ("a color", "a day", "a month", "an animal") else g.of(KINDS[what])
    others = []
    while len(others) < g.r.choice([1, 2, 2, 3]):
        if g.chance(0.6):
            other = g.of(OTHER)
        else:
            name = g.r.choice([k for k in KINDS if k != what])
            other = g.of(KINDS[name])
            if {what, name} <= {"a city", "a name"}:
                continue
        if other not in others and other != right and other not in KINDS[what]:
            others.append(other)
    items = g.r.sample([right, *others], len(others) + 1)
    return sample(ask(g, "choice", "kind", what=what, list=listed(g, items)), f"{right} is {what}.", f"{right[0].upper()}{right[1:]} is {what}.")


def length(g):
    """The longer or shorter of two or three words."""
    which = g.r.choice(["longest", "shortest"])
    while True:
        words = [g.noun() if g.chance(0.8) else g.name() for _ in range(g.r.choice([2, 3]))]
        sizes = sorted(len(w) for w in words)
        if len(set(words)) == len(words) and (sizes[-1] >= sizes[-2] + 2 if which == "longest" else sizes[0] + 2 <= sizes[1]):
            break
    right = (max if which == "longest" else min)(words, key=len)
    thought = ", ".join(f"{w} has {len(w)}" for w in words) + f". So {right}."
    return sample(ask(g, "choice", which, list=listed(g, words)), thought, f'The {which} is "{right}".')


def parity(g):
    """Even or odd."""
    n = g.integer(0, 99)
    what = "even" if n % 2 == 0 else "odd"
    thought = f"{n} ends in {n % 10}, so it is {what}."
    if g.chance(0.5):
        asked = g.r.choice(["even", "odd"])
        return sample(ask(g, "choice", "is_parity", n=n, what=asked), thought, f"{'Yes' if asked == what else 'No'}, {n} is {what}.")
    return sample(ask(g, "choice", "parity", n=n), thought, f"{n} is {what}.")


def preference(g):
    """One of two that the user has told something about."""
    a, b = two_nouns(g)
    word = g.of(ADJECTIVES)
    right, wrong = (a, b) if g.chance(0.5) else (b, a)
    x = g.r.random()
    if x < 0.5:
        part, thought = "like", f"The user likes the {right}."
    elif x < 0.75:
        part, thought = "property", f"The {right} is {word}."
    else:
        part, thought = "dislike", f"The user does not like the {wrong}."
    return sample(ask(g, "choice", part, a=a, b=b, right=right, wrong=wrong, word=word), thought, f"The {right}.")


def begins(g):
    """The word that begins with a letter."""
    words = []
    while len(words) < g.r.choice([2, 3, 4]):
        w = g.noun()
        if w[0] not in [x[0] for x in words]:
            words.append(w)
    right = g.r.choice(words)
    letter = right[0].upper() if g.chance(0.5) else right[0]
    return sample(ask(g, "choice", "begins", letter=letter, list=listed(g, words)), f"{right} begins with {right[0]}.", f'"{right}" begins with {letter}.')
