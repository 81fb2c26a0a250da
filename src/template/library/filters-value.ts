/** Filters for values of any type. */
import { textArgument } from "../values/arguments.js";
import { stringify } from "../values/json.js";
import type { Runtime } from "../values/runtime.js";
import { represented, toText } from "../values/text.js";
import {
  Dictionary,
  toInteger,
  isTruthy,
  Sequence,
  TemplateError,
  Undefined,
  valueOfData,
  type Value,
} from "../values/values.js";
import { dictionaryMethods } from "./methods-collections.js";
import { filter, type Given, type NamedFilter } from "./filter.js";

export const valueFilters: readonly NamedFilter[] = [
  ...["default", "d"].map((name) =>
    filter(name, ["default_value", "boolean"], (_, value, [otherwise = "", boolean = false]) =>
      value instanceof Undefined || (isTruthy(boolean) && !isTruthy(value)) ? otherwise : value,
    ),
  ),
  filter("string", [], ({ meter }, value) => toText(value, meter)),
  filter("safe", [], ({ meter }, value) => toText(value, meter)),
  filter("pprint", [], ({ meter }, value) => represented(value, meter)),
  filter("attr", ["name!"], (runtime, value, [given = ""]) => {
    const name = toText(given, runtime.meter);
    const isKey = value instanceof Dictionary && !dictionaryMethods.has(name);
    return isKey ? new Undefined(`'dict object' has no attribute '${name}'`) : runtime.item(value, name);
  }),
  filter("tojson", ["ensure_ascii", "indent", "separators", "sort_keys"], json),
  // llama.cpp has this one, transformers does not.
  ...["from_json", "fromjson"].map((name) => filter(name, [], (_, value) => parsed(value))),
];

/** As transformers defines it: characters stay as they are unless the template asks for ASCII. */
function json({ meter }: Runtime, value: Value, given: Given): Value {
  const [ensureAscii = false, indent = null, separators = null, sortKeys = false] = given;
  const [item = indent === null ? ", " : ",", key = ": "] =
    separators === null ? [] : readSeparators(separators);
  const text = stringify(
    value,
    {
      ensureAscii: isTruthy(ensureAscii),
      indent: indent === null ? null : typeof indent === "string" ? indent : spaces(toInteger(indent)),
      itemSeparator: item,
      keySeparator: key,
      sortKeys: isTruthy(sortKeys),
    },
    meter,
  );
  return text;
}

function spaces(count: number): string {
  if (count > 1_000) throw new TemplateError("indent is too big");
  return " ".repeat(Math.max(0, count));
}

function readSeparators(value: Value): readonly string[] {
  if (!(value instanceof Sequence) || value.items.length !== 2)
    throw new TemplateError("separators must be a tuple of two strings");
  return value.items.map((item) => textArgument(item, "a separator"));
}

function parsed(value: Value): Value {
  try {
    return valueOfData(JSON.parse(textArgument(value, "the JSON object")));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new TemplateError("from_json: the text is not JSON");
    throw thrown;
  }
}
