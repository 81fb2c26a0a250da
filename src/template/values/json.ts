/** JSON as Python's `json.dumps` writes it, with the arguments that chat templates give it. */
import type { Meter } from "../meter.js";
import { order } from "./compare.js";
import { floatText, integerText } from "./text.js";
import {
  Dictionary,
  Float,
  List,
  Sequence,
  TemplateError,
  Tuple,
  typeName,
  View,
  type Value,
} from "./values.js";

interface JsonOptions {
  readonly ensureAscii: boolean;
  /** One level of indentation, or null for a single line. */
  readonly indent: string | null;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
}

/** @throws TemplateError for a value that JSON does not have */
export function stringify(value: Value, options: JsonOptions, meter: Meter): string {
  return new Writer(options, meter).write(value, "\n");
}

class Writer {
  constructor(
    private readonly options: JsonOptions,
    private readonly meter: Meter,
  ) {}

  /** @param line a new line with the indentation of the value */
  write(value: Value, line: string): string {
    this.meter.countSteps(1);
    if (value === null) return "null";
    if (typeof value === "boolean") return value ? "true" : "false";
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return integerText(value);
    if (value instanceof Float) return jsonFloat(value.value);
    if (value instanceof Dictionary) return this.#dictionary(value, line);
    if (
      value instanceof Tuple ||
      value instanceof List ||
      (value instanceof Sequence && !(value instanceof View))
    )
      return this.#enclosed(
        "[]",
        value.items.map((item) => (inner: string) => this.write(item, inner)),
        line,
      );
    throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
  }

  #dictionary(value: Dictionary, line: string): string {
    const entries = Array.from(value.entries());
    if (this.options.sortKeys) entries.sort(([left], [right]) => order(left, right, this.meter));
    return this.#enclosed(
      "{}",
      entries.map(([key, item]) => (inner: string) => {
        const name = this.#text(keyText(key));
        return `${name}${this.options.keySeparator}${this.write(item, inner)}`;
      }),
      line,
    );
  }

  #enclosed(brackets: string, parts: readonly ((line: string) => string)[], line: string): string {
    const { indent, itemSeparator } = this.options;
    if (parts.length === 0) return brackets;
    const inner = indent === null ? "" : line + indent;
    let text = brackets.charAt(0);
    for (const [at, part] of parts.entries()) {
      text += `${at === 0 ? "" : itemSeparator}${inner}${part(inner)}`;
      this.meter.checkText(text.length);
    }
    return text + (indent === null ? "" : line) + brackets.charAt(1);
  }

  #text(text: string): string {
    this.meter.countReading(text);
    const json = JSON.stringify(text);
    this.meter.checkText(json.length);
    if (!this.options.ensureAscii) return json;
    return json.replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
}

function keyText(key: Value): string {
  if (typeof key === "string") return key;
  if (typeof key === "boolean") return key ? "true" : "false";
  if (key === null) return "null";
  if (typeof key === "number") return integerText(key);
  if (key instanceof Float) return jsonFloat(key.value);
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}
