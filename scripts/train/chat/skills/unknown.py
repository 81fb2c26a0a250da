"""Everything outside the model's world: it says that it does not know instead of inventing. A fifth of the questions look like
known ones (a capital, an opposite, a colour ...) about things that are not in facts.json.
"""
import json
import re
from functools import lru_cache
from pathlib import Path

from texts.manner import article, ask
from texts.pools import CITIES, JOBS, NOUNS, SMALL_WORDS
from texts.sample import sample
from skills.facts import all_facts, question
from skills.words import spelled

UNKNOWN = "I don't know. I am only a small built-in model."
TOPICS = {"person": 5, "stranger": 10, "work": 3, "event": 3, "idea": 5, "program": 2, "task": 2, "food": 3, "goods": 3, "place": 3, "company": 2, "country": 5, "city": 3, "made_up": 5, "noun": 5, "fixed": 8, "times": 1}
ARTICLE = re.compile("^(a|an|the|my|your) ")
UNITS = "minutes hours days seconds grams pages pieces legs wheels letters people words meters".split()


@lru_cache(maxsize=None)
def topics():
    return json.loads((Path(__file__).resolve().parents[1] / "words" / "topics.json").read_text(encoding="utf-8"))


def listed_countries():
    return [s for s, _ in all_facts()["capital"]]


@lru_cache(maxsize=None)
def known(kind):
    """The subjects of a kind in the list, without their articles."""
    return {ARTICLE.sub("", subject.lower()) for subject, _ in all_facts()[kind]}


def made_up(g):
    word = g.invented() if g.chance(0.7) else g.unheld(lambda: spelled(g))
    return word.capitalize() if g.chance(0.6) else word


def stranger(g):
    """The name of somebody of whom nothing is told, mostly with a surname."""
    first, x = g.name(), g.r.random()
    whole = f"{first} {g.name() if g.chance(0.5) else g.invented().capitalize()}"
    return first if x < 0.2 else whole if x < 0.85 else f"the {g.r.choice(JOBS)} {whole}"


def country(g):
    """A place which has no capital in the list."""
    r = g.r.random()
    if r < 0.4:
        return g.of(topics()["country"])
    return made_up(g).capitalize() + g.r.choice(["", "", "ia", "land", "stan"]) if r < 0.8 else g.of(CITIES)


def unlisted(g, kind):
    """A subject of this kind that is not in the list."""
    while True:
        r = g.r.random()
        if kind == "capital":
            subject = country(g)
        elif kind == "opposite":
            subject = g.of(topics()["word"]) if r < 0.4 else g.of(NOUNS) if r < 0.8 else made_up(g)
        elif kind == "colour":
            subject = g.of(topics()["colored"]) if r < 0.4 else g.r.choice(["a ", "my ", "the ", "your "]) + (g.of(NOUNS) if r < 0.85 else g.invented())
        elif kind == "unit":
            what = g.r.choice(UNITS) if r < 0.4 else g.of(NOUNS) + "s"
            subject = f"{what} in {g.r.choice(['a', 'a', 'the', 'my'])} {g.of(NOUNS) if r < 0.8 else g.invented()}"
        elif kind == "sides":
            subject = g.of(NOUNS) if r < 0.6 else g.invented()
        else:
            subject = g.of(topics()["animal"]) if r < 0.6 else g.invented() if r < 0.8 else g.of(NOUNS)
        bare = ARTICLE.sub("", subject.lower())
        if bare not in known(kind) and subject.lower() not in known(kind):
            return subject


def like_known(g):
    """A question in the form of a known one."""
    kind = g.r.choices(["capital", "opposite", "colour", "young", "sound", "legs", "home", "unit", "sides"], [9, 6, 4, 2, 2, 2, 2, 4, 1])[0]
    return question(g, kind, unlisted(g, kind))


def topic_question(g):
    """A question about the wide world."""
    part = g.r.choices(list(TOPICS), list(TOPICS.values()))[0]
    if part == "times":
        return ask(g, "unknown", part, a=g.integer(2, 99), b=g.integer(2, 99))
    return article(ask(g, "unknown", part, x=topic(g, part)))


def topic(g, part):
    if part == "country":
        return g.r.choice(listed_countries()) if g.chance(0.5) else country(g)
    drawn = {"city": g.city, "made_up": lambda: made_up(g), "noun": lambda: g.of(NOUNS), "stranger": lambda: stranger(g)}
    if part in drawn:
        return drawn[part]()
    return "" if part == "fixed" else g.of(topics()[part])


def nonsense(g):
    """Words or letters without any sense."""
    r = g.r.random()
    if r < 0.4:
        return g.phrase(2, 7)
    words = [g.unheld(lambda: spelled(g)) if g.chance(0.7) else g.r.choice(SMALL_WORDS) for _ in range(g.r.randint(1, 6))]
    return " ".join(words) + g.r.choice(["", "", ".", "?", "!"]) if r < 0.8 else "".join(g.r.choice("asdfghjklqwertyuiop;,.!?1234567890") for _ in range(g.r.randint(5, 20)))


def unknown(g):
    """A question outside the model's world, 6 % of them nonsense."""
    r = g.r.random()
    if r < 0.06:
        return sample(nonsense(g), "I do not understand this.", UNKNOWN)
    return sample(like_known(g) if r < 0.28 else topic_question(g), "I do not know this.", UNKNOWN)
