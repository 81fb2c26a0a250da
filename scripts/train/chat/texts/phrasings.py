"""How things are said: templates as data, one file a skill in phrasings/, {part: [templates]}.

A template holds slots `{name}` and alternatives `{a|b|}`, of which one is taken at random (an empty one is allowed;
alternatives hold no slots). `say(g, "recall", "ask_name", animal="dog")` takes a template of that part and fills it.
"""
import json
import re
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "phrasings"


@lru_cache(None)
def phrasings(skill):
    """The templates of a skill, by part."""
    return json.loads((FOLDER / f"{skill}.json").read_text(encoding="utf-8"))


@lru_cache(None)
def pieces(template):
    """A template cut up: strings, ("slot", name) and lists of alternatives."""
    out = []
    for i, part in enumerate(re.split(r"\{([^{}]*)\}", template)):
        if i % 2 == 0:
            out.append(part)
        else:
            out.append(part.split("|") if "|" in part else ("slot", part))
    return tuple(tuple(["any", *p]) if isinstance(p, list) else p for p in out)


def fill(g, template, **slots):
    """The text of one template."""
    out = []
    for p in pieces(template):
        if isinstance(p, str):
            out.append(p)
        elif p[0] == "slot":
            out.append(str(slots[p[1]]))
        else:
            out.append(p[1 + int(g.r.random() * (len(p) - 1))])
    return "".join(out)


def say(g, skill, part, **slots):
    """A phrasing of a skill's part, filled."""
    return fill(g, g.r.choice(phrasings(skill)[part]), **slots)
