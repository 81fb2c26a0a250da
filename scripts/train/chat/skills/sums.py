"""Numbers: sums, differences, comparisons, counting what is listed, and counting from one number to another.

Pairs that are kept for the evaluation (`a+b`, `a-b`, `a?b` by the checksum) are never drawn.
"""
from texts.manner import ask, manner, pick
from texts.phrasings import phrasings
from texts.pools import ADJECTIVES, CITIES, COLORS, NAMES, NOUNS, VERBS, is_held
from texts.sample import sample

THINGS = "apple book coin card ball stamp egg cookie marble pencil shell ticket flower cup candle stone button tree bottle chair".split()
CALLED = "fruits animals tools toys ingredients countries friends guests products tasks elements objects goods foods books cities words items entries examples numbers values members flowers colors ideas gifts parts".split()
SEPARATORS = [", ", ", ", ", ", ", ", " ", "; ", ",", " and ", "\n", "\n- ", " / "]
POOLS = [("things", NOUNS), ("things", NOUNS), ("words", NOUNS), ("items", NOUNS), ("objects", NOUNS), ("names", NAMES), ("people", NAMES), ("towns", CITIES), ("places", CITIES), ("words", ADJECTIVES), ("words", VERBS),
         ("entries", NOUNS), ("words", None), ("things", None), ("colors", COLORS), ("things", NOUNS)]


def operands(g, sign):
    """Two numbers 0..99; most have two digits and, in more than half of the cases, a carry or a borrow."""
    while True:
        a, b = g.r.randint(0, 99), g.r.randint(0, 99)
        x = g.r.random()
        if x < 0.1:
            a, b = g.r.randint(0, 12), g.r.randint(0, 12)
        elif x < 0.32:
            a, b = one_of_one_digit(g)
        if sign == "-" and a < b:
            a, b = b, a
        carries = a % 10 + b % 10 > 9 if sign == "+" else a % 10 < b % 10
        if not is_held(f"{a}{sign}{b}") and (carries or g.chance(0.75)):
            return a, b


def one_of_one_digit(g):
    """A number below ten and one with two digits, in either order."""
    pair = [g.r.randint(0, 9), g.r.randint(10, 99)]
    g.r.shuffle(pair)
    return pair


def sum_thought(a, b):
    """Digit by digit, ones first."""
    if a < 10 and b < 10:
        return f"{a} + {b} = {a + b}."
    ones = a % 10 + b % 10
    tens = a // 10 + b // 10 + ones // 10
    carry = " + 1" if ones > 9 else ""
    return f"{a} + {b}: {a % 10} + {b % 10} = {ones}, {a // 10} + {b // 10}{carry} = {tens}, so {a + b}."


def difference_thought(a, b):
    """Digit by digit, ones first, a ten borrowed where needed."""
    if a < 10:
        return f"{a} - {b} = {a - b}."
    borrow = a % 10 < b % 10
    top, tens = a % 10 + 10 * borrow, a // 10 - borrow
    return f"{a} - {b}: {top} - {b % 10} = {top - b % 10}, {tens} - {b // 10} = {tens - b // 10}, so {a - b}."


def addition(g):
    """a + b, now and then as a small story."""
    a, b = operands(g, "+")
    return sum_sample(g, a, b, "add", sign(g, "plus"), f"{a} + {b} = {a + b}.", sum_thought(a, b))


def subtraction(g):
    """a - b, never below zero."""
    a, b = operands(g, "-")
    return sum_sample(g, a, b, "subtract", sign(g, "minus"), f"{a} - {b} = {a - b}.", difference_thought(a, b))


def sign(g, part):
    return g.r.choice(phrasings("sums")[part])


def sum_sample(g, a, b, part, sign, reply, thought):
    if g.chance(0.1):
        thing = g.r.choice(THINGS)
        return sample(ask(g, "sums", part + "_story", a=a, b=b, thing=thing, things=thing + "s", name=g.name()), thought, reply)
    return sample(ask(g, "sums", part, a=a, b=b, plus=sign, minus=sign), thought, reply)


def compare(g):
    """Which of two numbers is larger, or smaller."""
    while True:
        a, b, x = g.r.randint(0, 99), g.r.randint(0, 99), g.r.random()
        if x < 0.25:
            b = a // 10 * 10 + b % 10  # the same tens
        elif x < 0.35:
            b = a % 10 * 10 + a // 10  # the same digits
        elif x < 0.7:
            a, b = one_of_one_digit(g)
        if a != b and not is_held(f"{a}?{b}"):
            break
    wanted = g.r.choice(["larger", "smaller"])
    right = max(a, b) if wanted == "larger" else min(a, b)
    template = pick(g, "sums", wanted)
    yes_no = template.startswith("Is {a}") and " or " not in template
    thing = g.r.choice(THINGS)
    user = manner(g, template).format(a=a, b=b, things=thing + "s", n1=g.name(), n2=g.name())
    says = f"{right} is {wanted}."
    return sample(user, compare_thought(wanted, (a, ""), (b, "")) + ".", ("Yes, " if right == a else "No, ") + says if yes_no else says)


def compare_thought(wanted, first, second):
    """What is asked of two (number, label), then the tens of both, and the ones when the tens are alike. A label stands after its number,
    so that it is found again by what followed the number."""
    (a, _), (b, _) = first, second
    ones = f", ones {a % 10} and {b % 10}" if a // 10 == b // 10 else ""
    right = max(first, second) if wanted == "larger" else min(first, second)
    x, y, z = (f"{n} {label}".rstrip() for n, label in (first, second, right))
    return f"The {wanted} of {x} and {y}: tens {a // 10} and {b // 10}{ones}, so {z}"


def arithmetic(g):
    """Sums, differences and comparisons."""
    r = g.r.random()
    return addition(g) if r < 0.38 else subtraction(g) if r < 0.7 else compare(g)


def listed(g):
    """2 to 10 things, all different, and what to call them."""
    kind, pool = g.r.choice(POOLS)
    n, things = g.r.randint(2, 10), []
    article = kind in ("things", "items", "objects") and pool and g.chance(0.3)
    while len(things) < n:
        word = g.of(pool) if pool else g.word()
        word = f"{g.r.choice(COLORS)} {word}" if pool is NOUNS and g.chance(0.12) else word
        word = ("an " if word[0] in "aeiou" else "a ") + word if article else word
        if word not in things:
            things.append(word)
    return kind, things


def how_many(g):
    """How many things are listed."""
    kind, things = listed(g)
    sep = g.r.choice(SEPARATORS)
    if sep == " " and any(" " in t for t in things):
        sep = ", "
    text = sep.join(things)
    if sep == "\n- ":
        text = "\n- " + text
    if sep in (", ", " ") and g.chance(0.35):
        text = sep.join(things[:-1]) + g.r.choice([" and ", ", and ", " and "]) + things[-1]
    called = g.r.choice(["things", "things", kind, kind, kind, g.r.choice(CALLED)])
    user = ask(g, "sums", "how_many", things=called, list=text, name=g.name())
    thought = ", ".join(f"{t} {i}" for i, t in enumerate(things, 1)) + "."
    return sample(user, thought, f"There are {len(things)} things.")


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = {20: "twenty", 30: "thirty"}


def number_word(n):
    if n < 20:
        return ONES[n]
    return TENS[n // 10 * 10] + (f"-{ONES[n % 10]}" if n % 10 else "")


def count(g):
    """Count from a to b, in digits or words, with spaces, commas or lines between."""
    b = g.r.randint(2, 30) if g.chance(0.72) else g.r.randint(31, 100) if g.chance(0.94) else g.r.randint(101, 250)
    a = 1 if g.chance(0.8) else g.r.randint(0, min(b - 1, 20))
    user = ask(g, "sums", "count_to" if a == 1 and g.chance(0.4) else "count", a=a, b=b)
    words, sep, r = [str(n) for n in range(a, b + 1)], " ", g.r.random()
    if b <= 30 and r < 0.2:
        user = reworded(g, "count_words", user)
        words = [number_word(n) for n in range(a, b + 1)]
    elif r > 0.9:
        user, sep = reworded(g, "count_commas", user), ", "
    elif r > 0.84:
        user, sep = reworded(g, "count_lines", user), "\n"
    return sample(user, f"I count from {a} to {b}.", sep.join(words))


def reworded(g, part, user):
    return pick(g, "sums", part).format(ask=user.rstrip(".?! "))
