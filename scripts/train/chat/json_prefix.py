"""What the server's grammar does to an answer, in small: is a text the beginning of compact JSON of this schema?"""
import json
import re

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
NUMBER_BEGUN = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?)?\Z")
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
STRING_BEGUN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*\\?\Z')


class Begun(Exception):
    """The text ends before the value does."""


class Wrong(Exception):
    """No value begins so."""


def state(text, schema):
    """"done", "begun" or "wrong"."""
    try:
        return "done" if value(text, 0, schema) == len(text) else "wrong"
    except Begun:
        return "begun"
    except Wrong:
        return "wrong"


def literal(text, at, wanted):
    """The place behind `wanted`."""
    there = text[at:at + len(wanted)]
    if there == wanted:
        return at + len(wanted)
    raise Begun if wanted.startswith(there) and at + len(there) == len(text) else Wrong


def one_of(text, at, options):
    begun = False
    for wanted in options:
        try:
            return literal(text, at, wanted)
        except Begun:
            begun = True
        except Wrong:
            pass
    raise Begun if begun else Wrong


def value(text, at, schema):
    """The place behind the value that begins at `at`."""
    if "enum" in schema:
        return one_of(text, at, [json.dumps(v, ensure_ascii=False) for v in schema["enum"]])
    kind = schema.get("type")
    if kind == "object":
        return members(text, at, schema)
    if kind == "array":
        return items(text, at, schema)
    if kind == "boolean":
        return one_of(text, at, ["true", "false"])
    whole, begun = (STRING, STRING_BEGUN) if kind == "string" else (NUMBER, NUMBER_BEGUN)
    if m := whole.match(text, at):
        if kind == "integer" and "." in m.group():
            raise Wrong
        if kind != "string" and text[m.end():m.end() + 1] == "." and m.end() + 1 == len(text) and kind != "integer":
            raise Begun
        return m.end()
    raise Begun if begun.match(text, at) or at == len(text) else Wrong


def members(text, at, schema):
    properties = list(schema.get("properties", {}).items())
    at = literal(text, at, "{")
    for i, (name, inner) in enumerate(properties):
        at = literal(text, at, ("," if i else "") + f'"{name}":')
        at = value(text, at, inner)
    return literal(text, at, "}")


def items(text, at, schema):
    at = literal(text, at, "[")
    if text[at:at + 1] == "]":
        return at + 1
    while True:
        at = value(text, at, schema.get("items", {"type": "string"}))
        if at == len(text):
            raise Begun
        if text[at] == "]":
            return at + 1
        at = literal(text, at, ",")
