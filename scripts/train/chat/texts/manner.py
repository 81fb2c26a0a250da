"""A user's sentence: a template of phrasings/<skill>.json in one of the many manners in which people type (words before
and after, lower case, no last mark), its slots filled last so that values keep their own letters.
"""
import re
from functools import lru_cache

from texts.phrasings import phrasings, pieces

MARKS = ".!?:"
BEFORE_VOWEL = re.compile(r"\b([Aa]) (?!(?:[Ee]u|[Uu]ni[cfqtv]|[Oo]ne\b|[Uu]se))([aeiouAEIOU][a-z])")
KEEPS_CASE = re.compile(r"I\b|I'|[A-Z]{2}|\{")


def pick(g, skill, part):
    """One template of a part: alternatives chosen, slots still open."""
    return choose(g, g.r.choice(phrasings(skill)[part]))


def choose(g, template):
    out = []
    for p in pieces(template):
        if isinstance(p, str):
            out.append(p)
        else:
            out.append("{" + p[1] + "}" if p[0] == "slot" else p[1 + int(g.r.random() * (len(p) - 1))])
    return "".join(out).replace("  ", " ").strip()


def ask(g, skill, part, kind=None, **slots):
    """A template of this part in some manner, filled."""
    return manner(g, pick(g, skill, part), kind).format(**slots)


def manner(g, text, kind=None):
    """The same sentence as different people would type it; slots stay as they are. Kind: question, request or statement."""
    kind = kind or ("question" if text.endswith("?") else "request")
    r = g.r.random()
    if r < 0.24:
        text = g.r.choice(phrasings("manner")["before_" + kind]).replace("{text}", uncapital(text))
    elif r < 0.3 and not text.endswith("}"):
        text = g.r.choice(phrasings("manner")["after_" + kind]).replace("{text}", text.rstrip(MARKS))
    r = g.r.random()
    if r < 0.16:
        text = lower(text)
    elif r < 0.2:
        text = capital(text)
    return text.rstrip(MARKS) if 0.1 < r < 0.26 else text


def uncapital(text):
    """Without the capital of the first word, unless it has to keep it."""
    return text if KEEPS_CASE.match(text) else text[:1].lower() + text[1:]


def capital(text):
    return text[:1].upper() + text[1:]


def article(text, kept=()):
    """ "a x" becomes "an x" before a vowel, unless that would change one of the texts in `kept`, which are to be copied letter by letter."""
    better = BEFORE_VOWEL.sub(r"\1n \2", text)
    return better if all(k in better for k in kept) else text


@lru_cache(maxsize=20000)
def lower(text):
    """Lower case outside the slots."""
    return "".join(p if p.startswith("{") else p.lower() for p in re.split(r"(\{\w*\})", text))
