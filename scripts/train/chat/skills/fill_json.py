"""JSON from a person's words. The server shows the model no schema: its grammar forces the names of the fields, in the
schema's order, and the model fills in the values, in compact JSON. So what is learnt is to find the value that belongs
to a field. Where the words do not ask for JSON, the first token is the grammar's, not the model's choice (`given`).
"""
import json
from pathlib import Path

from skills.json_values import invented_field, joined, value
from texts.manner import article
from texts.phrasings import fill, phrasings, say
from texts.sample import sample

WORDS = Path(__file__).resolve().parents[1] / "words"
RECORDS, NOTES = (json.loads((WORDS / f"json_{name}.json").read_text(encoding="utf-8")) for name in ("records", "notes"))
KINDS = list(RECORDS)


def fill_json(g):
    """An object of one to eight fields."""
    what, fields = record(g) if g.chance(0.6) else ("data", plain_fields(g))
    text, in_order = told(g, what, fields)
    keep = fields if g.chance(0.85) or len(fields) < 3 else g.r.sample(fields, len(fields) - 1)
    if g.chance(0.3) and len(keep) > 1:
        keep, in_order = g.r.sample(keep, len(keep)), False
    values = {f["key"]: f["value"] for f in keep}
    x = g.r.random()
    if x < 0.2:
        user = say(g, "json", "listed", keys=joined([named(g, f["key"]) for f in keep]), text=text)
    elif text[0].islower() and "\n" not in text and not text.startswith(("with ", "for ", "its ")) and g.chance(0.4):
        user = say(g, "json", "with", text=text.rstrip("."), what=what)
    else:
        user = say(g, "json", "ask" if x < 0.55 else "bare", text=text, what=what)
    reply = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    out = {**sample(user, "I fill in " + ", ".join(values) + ".", reply), "json": True}
    if not (in_order and len(keep) == len(fields)) and x >= 0.2:
        out = {**out, "blind": True, "think": False}
    return out if "JSON" in user else {**out, "think": False, "given": 1}


def named(g, key):
    return key if g.chance(0.6) else key.replace("_", " ")


def field(g, key, kind, forms):
    """One field: its key, what is said of it, its value, and sentence parts without a subject."""
    kept_as, key = key.split()[0], styled(g, g.r.choice(key.split()))
    if isinstance(kind, list):
        true = g.chance(0.5)
        return {"key": key, "kept_as": kept_as, "said": g.r.choice(["yes", "true"] if true else ["no", "false"]), "value": true, "part": kind[0] if true else g.r.choice(kind[1:])}
    if isinstance(kind, dict):
        parts = {k: value(g, inner) for k, inner in kind.items()}
        said = joined([f"{k} {v[0]}" for k, v in parts.items()])
        return {"key": key, "kept_as": kept_as, "said": said, "value": {k: v[1] for k, v in parts.items()}, "part": fill(g, g.r.choice(forms), **{k: v[0] for k, v in parts.items()})}
    said, kept = value(g, kind)
    return {"key": key, "kept_as": kept_as, "said": said, "value": kept, "part": fill(g, g.r.choice(forms), v=said)}


def styled(g, key):
    if "_" in key and g.chance(0.25):
        first, *rest = key.split("_")
        return first + "".join(w.capitalize() for w in rest)
    return key


def record(g):
    """(what it is, its fields), the subject among them."""
    what = g.r.choice(KINDS)
    r = RECORDS[what]
    keys, kind = r["subject"]
    subject = field(g, keys, kind, ["{v}"])
    subject["subject"] = ("The " if kind == "noun" else "Order " if kind == "code" else "") + subject["said"]
    subject["pronoun"] = g.r.choice(r["pronouns"])
    chosen = g.r.sample(r["fields"], min(len(r["fields"]), g.r.choice([1, 1, 2, 2, 3, 3, 4, 5, 6, 7])))
    fields = [subject]
    for f in chosen:
        new = field(g, *f) if len(f) == 3 else field(g, *f, [])
        if new["key"] not in [x["key"] for x in fields] and not ambiguous(new, fields):
            fields.append(new)
    return what, fields


def ambiguous(new, fields):
    """Two sentence parts that begin alike and differ in a word: nobody could tell the fields apart."""
    head = new["part"].split()[:2]
    return any(f["part"].split()[:2] == head for f in fields if "subject" not in f)


def plain_fields(g):
    """Fields of any names."""
    fields = []
    for _ in range(g.r.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8])):
        new = invented_field(g)
        if new["key"] not in [f["key"] for f in fields]:
            fields.append({**new, "key": styled(g, new["key"])})
    return fields


def told(g, what, fields):
    """(the fields in words, as sentences about the subject, as notes or by their labels; whether their names stand there in order)."""
    x = g.r.random()
    if "subject" in fields[0] and x < 0.45:
        return notes(g, what, fields), False
    if "subject" in fields[0] and len(fields) > 1 and x < 0.8:
        return sentences(g, fields), False
    if g.chance(0.35) and len(fields) > 1:
        return labelled(g, g.r.sample(fields, len(fields))), False
    return labelled(g, fields), True


def notes(g, what, fields):
    """A short sentence of its own for every field, none of which needs another, after an opening that tells nothing."""
    said = NOTES[what]
    order = g.r.sample(fields, len(fields)) if g.chance(0.6) else fields
    opening = [g.r.choice(said["opening"])] if g.chance(0.6) else []
    return " ".join(opening + [note(g, said, f) for f in order])


def note(g, said, f):
    """A note of one field; by its label where there is no other, and now and then else."""
    forms = said.get(f["kept_as"], [])
    if f["value"] is True or f["value"] is False:
        return g.r.choice(forms[0 if f["value"] else 1]) if forms and g.chance(0.7) else f"It {f['part']}."
    if forms and g.chance(0.65):
        return article(fill(g, g.r.choice(forms), v=f["said"]), [f["said"]])
    return fill(g, g.r.choice(["The {k} is {v}.", "The {k} is {v}.", "The {k}: {v}.", "As {k} we have {v}.", "The {k} should be {v}.", "For {k} take {v}."]), k=f["key"].replace("_", " "), v=f["said"])


def labelled(g, fields):
    """One after the other, each with its name."""
    form = g.r.choice(phrasings("json")["labels"])
    parts = [label(g, form, f) for f in fields]
    x = g.r.random()
    if x < 0.25:
        return "\n".join(g.r.choice(["", "- "]) + p for p in parts) if ":" in form or "=" in form else ", ".join(parts)
    if x < 0.6:
        return ", ".join(parts) + g.r.choice(["", "."])
    if x < 0.8:
        return " ".join((p if form.startswith("{v}") else p[0].upper() + p[1:]) + "." for p in parts)
    return joined(parts) + g.r.choice(["", "."])


def label(g, form, f):
    key = f["key"].replace("_", " ") if g.chance(0.7) else f["key"]
    if isinstance(f["value"], bool) and g.chance(0.25) and ":" not in form and "=" not in form:
        return ("" if f["value"] else "not ") + key.removeprefix("is ").removeprefix("is_")
    return fill(g, form, k=key, v=f["said"])


def sentences(g, fields):
    """Sentences about the first field, in which the others are told."""
    subject, *rest = fields
    rest = g.r.sample(rest, len(rest))
    out, name = [], subject["subject"]
    while rest:
        n = g.r.choice([1, 1, 2, 2, 3, len(rest)])
        now, rest = rest[:n], rest[n:]
        who = name if not out else subject["pronoun"] if g.chance(0.8) else name
        out.append(f"{who} {joined([f['part'] for f in now])}.")
    return " ".join(out)
