"""Tools and what people say to have them used. Familiar domains (weather, timers, mail ...) come under many names;
invented tools (a verb and a noun, or words that do not exist) keep names and arguments to be copied from the prompt.

A wish is {"group", "tool", "ask", "call"}: the tool's OpenAI definition, the request, the call that answers it.
"""
import json
from pathlib import Path

from texts.manner import article
from texts.phrasings import fill, phrasings, say
from texts.pools import VERBS, is_held
from skills.tool_values import value

DOMAINS = json.loads((Path(__file__).resolve().parents[1] / "words" / "tool_domains.json").read_text(encoding="utf-8"))
DOMAIN_NAMES = [name for name, domain in DOMAINS.items() for _ in range(3 if domain.get("often") else 1)]
HINTS = {"city": ["The city", "City name, e.g. Paris", "The city and state, e.g. San Francisco, CA"], "name": ["Who it is", "The person"], "topic": ["What to search for"],
         "int": ["A number"], "clock": ["The time, e.g. 14:30"], "phrase": ["The text"]}
INVENTED_KINDS = ["code", "word", "word", "int", "int", "name", "city", "color", "phrase", "decimal"]
PLAIN_NAMES = ["id", "name", "value", "input", "key", "number", "target", "item", "size", "color", "text", "title", "kind", "level", "count", "label", "mode", "code"]
PREFIXES = ["my_", "api_", "tool_", "do_", "run_", "home_", "app_"]


def definition(g, name, description, params, required):
    """An OpenAI tool; params is {name: schema}."""
    schema = {"type": "object", "properties": params}
    if required and g.chance(0.85):
        schema["required"] = required
    if g.chance(0.15):
        schema["additionalProperties"] = False
    function = {"name": name, **({"description": description} if description and g.chance(0.85) else {}), "parameters": schema}
    return {"type": "function", "function": function}


def styled(g, name):
    """A name in snake case, or as others write it."""
    x = g.r.random()
    if x < 0.08:
        return g.r.choice(PREFIXES) + name
    if x < 0.22:
        first, *rest = name.split("_")
        return first + "".join(w.capitalize() for w in rest)
    return name


def hinted(g, schema, kind, label):
    """The schema, now and then with a description."""
    if not g.chance(0.3):
        return schema
    return {**schema, "description": g.r.choice(HINTS[kind]) if kind in HINTS else f"The {label.replace('_', ' ')}"}


def extra(g, kind):
    """(name, schema, said, value) of a parameter that may be left out; nothing is said of it in most requests."""
    if kind == "unit":
        said, name, schema = g.r.choice(["celsius", "fahrenheit"]), g.r.choice(["unit", "units", "scale"]), {"type": "string", "enum": ["celsius", "fahrenheit"]}
        return name, schema, (say(g, "tools", "unit", **{"0": said}), said) if g.chance(0.3) else None
    n, name = g.r.randint(1, 9), g.r.choice(["limit", "count", "max_results"])
    return name, {"type": "integer"}, (say(g, "tools", "limit", **{"0": n}), n) if g.chance(0.3) else None


def familiar(g, domain=None, twice=False):
    """A wish of a familiar domain; `twice` asks for two calls of the tool with different values, where that can be said."""
    key = domain or g.r.choice(DOMAIN_NAMES)
    d = DOMAINS[key]
    labels = [g.r.choice(names.split()) for names, _ in d["params"]]
    kinds = [kind for _, kind in d["params"]]
    values = [value(g, kind) for kind in kinds]
    params = {p: hinted(g, v[2], kind, p) for p, v, kind in zip(labels, values, kinds)}
    call = {p: v[1] for p, v in zip(labels, values)}
    said = {str(i): v[0] for i, v in enumerate(values)}
    name = styled(g, g.r.choice(d["names"].split()))
    if twice:
        return two_values(g, d, key, name, params, labels, kinds, values, said)
    ask, more = say(g, "tools", key, **said), None
    if "extra" in d and g.chance(0.3):
        label, schema, more = extra(g, d["extra"])
        params[label] = schema
        if more:
            ask, call = ask.rstrip(".?!") + more[0] if more[0][0] in ",(" or ask[-1] not in ".?!" or more[0].startswith(" in") else ask + more[0], {**call, label: more[1]}
    tool = definition(g, name, g.r.choice(d["describe"]), params, labels)
    return {"group": d["group"], "tool": tool, "ask": ask, "call": {"name": name, "arguments": call}}


def two_values(g, d, key, name, params, labels, kinds, values, said):
    """Two calls of one tool, asked in one sentence where there is such a phrasing, else one after the other."""
    tool = definition(g, name, g.r.choice(d["describe"]), params, labels)
    second = [alike(g, lambda: value(g, kind), first) for kind, first in zip(kinds, values)]
    calls = [{"name": name, "arguments": {p: v[1] for p, v in zip(labels, vs)}} for vs in (values, second)]
    pair = phrasings("tools").get(key + "_two") if len(labels) == 1 else None
    if pair and g.chance(0.7):
        ask = fill(g, g.r.choice(pair), **{"0": values[0][0], "1": second[0][0]})
    else:
        ask = joined(g, say(g, "tools", key, **said), say(g, "tools", key, **{str(i): v[0] for i, v in enumerate(second)}))
    return {"group": d["group"], "tool": tool, "ask": ask, "calls": calls}


def joined(g, first, second):
    """Two requests in one turn."""
    if g.chance(0.45) and first[-1] in ".?" and second[-1] in ".?" and first[-1] == second[-1]:
        low = second[0].lower() + second[1:] if second.split()[0].rstrip(".,:") in OPENING and not second[1:2].isupper() else second
        return say(g, "tools", "both_joined", first=first[:-1], second=low)
    ends = lambda text: text if text[-1] in ".?!\"" or g.chance(0.1) else text + "."
    return say(g, "tools", "both", first=ends(first), second=ends(second))


def invented(g, like=None, twice=False):
    """A wish for a tool that nobody has seen before; `like` (verb, noun) shares one of them, `twice` is as in `familiar`."""
    verb, noun, name = invented_name(g, like)
    x = g.r.random()
    part, labels, kinds = natural(g) if x < 0.4 else described(g) if x < 0.5 else parameters(g)
    values = [invented_value(g, part, kind) for kind in kinds]
    params = {p: hinted(g, v[2], "", p) for p, v in zip(labels, values)}
    description = g.r.choice([f"{verb.capitalize()} the {noun}", article(f"{verb.capitalize()} a {noun}"), f"{verb} the {noun}", article(f"To {verb} a {noun}.")])
    tool = definition(g, name, description, params, labels)

    def wished(values):
        slots = dict(zip("pqs", [p.replace("_", " ") if g.chance(0.7) else p for p in labels])) | dict(zip("xyz", [v[0] for v in values]))
        ask = say(g, "tools", part, verb=verb, noun=noun, tool=name, **slots)
        kept = [v[0] for v in values]
        ask = ask[0].upper() + ask[1:] if g.chance(0.8) and not ask.startswith((name, *kept)) else ask
        return article(ask, kept), {"name": name, "arguments": {p: v[1] for p, v in zip(labels, values)}}

    ask, call = wished(values)
    wish = {"group": name, "words": (verb, noun), "tool": tool, "ask": ask, "call": call}
    if not twice:
        return wish
    other_ask, other = wished([alike(g, lambda: invented_value(g, part, kind), v) for kind, v in zip(kinds, values)])
    return {**wish, "ask": joined(g, ask, other_ask), "calls": [call, other]}


def alike(g, draw, first):
    """Another value that the schema of the first allows."""
    other = draw()
    while type(other[1]) is not type(first[1]) or ("enum" in first[2] and other[1] not in first[2]["enum"]):
        other = draw()
    return other


def parameters(g):
    """(how it is asked for, names, kinds of values) of up to three parameters."""
    count = g.r.choices([0, 1, 2, 3], [8, 40, 30, 12])[0]
    labels = distinct(g, count)
    return ["nothing", "invented_one", "invented_two", "invented_three"][count], labels, [g.r.choice(INVENTED_KINDS) for _ in labels]


def described(g):
    """The same of one whose value stands before the noun."""
    labels = [g.r.choice(["color", "color", "kind", "look", "state", *distinct(g, 1)])]
    return "invented_before", labels, [g.r.choice(["color", "color", "word"])]


NATURAL = {"name": ["person", "name", "owner", "for", "customer"], "city": ["city", "town", "place", "location"], "int": ["number", "id", "count", "index"]}


def natural(g):
    """The same of one that is said without its name: whose it is, where it is, which number it has."""
    kind = g.r.choice(list(NATURAL))
    return f"invented_{kind}", [g.r.choice(NATURAL[kind])], [kind]


def invented_name(g, like=None):
    """(verb, noun, the tool's name), of words or of what sounds like words; `like` gives one of the words."""
    while True:
        strange = g.chance(0.25) and not like
        verb, noun = (g.invented(), g.noun()) if strange else (g.of(VERBS), g.invented() if g.chance(0.08) else g.noun())
        if like:
            verb, noun = (like[0], noun) if g.chance(0.6) else (verb, like[1])
        name = g.r.choice([f"{verb}_{noun}", f"{verb}_{noun}", f"{verb}{noun.capitalize()}", f"{noun}_{verb}", verb if strange else f"{verb}_{noun}"])
        if not is_held(name):
            return verb, noun, name


def invented_value(g, part, kind):
    """As `value`; in quotation marks now and then, where its place in the sentence does not tell what it is."""
    said, kept, schema = value(g, kind)
    if part in ("invented_before", *(f"invented_{k}" for k in NATURAL)):
        return said, kept, schema
    quoted = isinstance(kept, str) and (g.chance(0.2) or (" " in said and g.chance(0.85)))
    return f'"{said}"' if quoted else said, kept, schema


def distinct(g, count):
    labels = []
    while len(labels) < count:
        x = g.r.random()
        label = g.r.choice(PLAIN_NAMES) if x < 0.45 else g.noun() if x < 0.75 else g.invented() if x < 0.88 else g.unheld(lambda: g.noun() + "_" + g.r.choice(PLAIN_NAMES))
        if label not in labels:
            labels.append(label)
    return labels


OPENING = {t.split()[0].rstrip(".,:") for part, ts in phrasings("tools").items() if part in DOMAINS for t in ts if t[0] not in "{01"} - {"I", "I'm"}
