"""Renders chat templates with Python's jinja2, set up as transformers sets it up.

Reads one JSON object from standard input: `now` (seconds since 1970), `templates` (sources) and `conversations`
(variables). Writes a list with one row for each template: for each conversation an object with `text`, or with `error`.
`extended` is true where only what llama.cpp has renders it: lists that templates can change, and the filter `from_json`.
Exits with 3 if jinja2 is missing.
"""

import copy
import json
import sys
from datetime import datetime

try:
    from jinja2 import nodes, pass_eval_context
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
except ImportError:
    sys.exit(3)


class Generation(Extension):
    """The block `generation`, which marks what the assistant says."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_support"), [], [], body).set_lineno(line)

    @pass_eval_context
    def _support(self, context, caller):
        return caller()


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise TemplateError(message)


def environment(kind, now):
    made = kind(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = lambda form: datetime.fromtimestamp(now).strftime(form)
    return made


def render(environments, source, variables):
    strict, extended = environments
    # A template may change its variables.
    again = copy.deepcopy(variables)
    try:
        return {"text": strict.from_string(source).render(**variables)}
    except Exception as error:
        try:
            return {"text": extended.from_string(source).render(**again), "extended": True}
        except Exception:
            return {"error": f"{type(error).__name__}: {error}"}


def main():
    given = json.load(sys.stdin)
    environments = [environment(kind, given["now"]) for kind in (ImmutableSandboxedEnvironment, SandboxedEnvironment)]
    environments[1].filters["from_json"] = json.loads
    rows = [
        [render(environments, source, copy.deepcopy(variables)) for variables in given["conversations"]]
        for source in given["templates"]
    ]
    json.dump(rows, sys.stdout)


main()
