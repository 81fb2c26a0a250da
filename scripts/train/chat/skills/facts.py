"""The closed list of 500 facts (facts.json), asked in many ways and known by heart."""
import json
from functools import lru_cache
from pathlib import Path

from texts.manner import article, capital, lower, manner, pick
from texts.sample import sample

ARTICLES = ("a ", "an ", "the ")
REPLIES = {
    "capital": "The capital of {x} is {a}.", "opposite": "The opposite of {x} is {a}.", "colour": "{x} is {a}.", "young": "A young {x} is called a {a}.", "sound": "The sound of a {x} is called {a}.",
    "legs": "A {x} has {a} legs.", "home": "A {x} lives in a {a}.", "unit": "There are {a} {x} in {y}.", "sides": "A {x} has {a} sides.",
}
NAMED_COUNTRIES = ("Netherlands", "Philippines", "United States", "Dominican Republic")


@lru_cache(maxsize=None)
def all_facts():
    """{kind: [(subject, answer)]}."""
    out = {}
    for fact in json.loads((Path(__file__).resolve().parents[1] / "facts.json").read_text(encoding="utf-8")):
        out.setdefault(fact["kind"], []).append((fact["subject"], fact["answer"]))
    return out


def slots(kind, subject):
    """What goes into a question's slots: units are cut at " in ", some countries have an article."""
    if kind == "unit":
        x, y = subject.split(" in ", 1)
        return {"x": x, "y": y, "z": y.split(" ", 1)[1] if y.startswith(ARTICLES) else y}
    if kind == "capital" and subject in NAMED_COUNTRIES:
        return {"x": "the " + subject}
    return {"x": subject}


def question(g, kind, subject):
    """A question about a subject of this kind, in one of many manners."""
    filled = manner(g, pick(g, "facts", kind))
    values = slots(kind, subject)
    if kind == "unit" and values["y"].startswith(("a ", "an ")) and g.chance(0.12):
        values["y"] = "one " + values["z"]
    text = article(filled.format(**values))
    if filled.startswith("{") and g.chance(0.8):
        text = capital(text)
    return lower(text) if g.chance(0.06) else text


def reply(kind, subject, answer):
    text = REPLIES[kind].format(a=answer, **slots(kind, subject))
    if kind == "home" and subject == "fish":
        text = text.replace("a water", "water")
    return capital(article(text))


def fact(g):
    """A fact of the list; kinds as often as they have members."""
    kinds = all_facts()
    kind = g.r.choices(list(kinds), [len(v) for v in kinds.values()])[0]
    subject, answer = g.r.choice(kinds[kind])
    return sample(question(g, kind, subject), f"{capital(subject)}: {answer}.", reply(kind, subject, answer))
