/** JSON texts with numbers that no double keeps, which JSON.parse and JSON.stringify would round. */
import { ExactNumber, readNumber } from "../regular/number/decimal.js";
import type { JsonValue } from "./node.js";

/** The nesting depth up to which a text is read without loss; deeper texts are rejected by every reader of the value. */
const depthMax = 300;
/** A number that may have more digits than a double keeps, or an exponent. Also matches inside of strings. */
const longNumber = /\d[\d.]{15}|\d[eE]/;

/**
 * Parses a JSON text. Numbers that a `number` does not keep are instances of ExactNumber, or NaN when they are
 * out of range. @throws SyntaxError as JSON.parse
 */
export function parseSchemaText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longNumber.test(text)) return value;
  try {
    return new Reader(text).read(0);
  } catch (thrown) {
    if (thrown instanceof TooDeep) return value;
    throw thrown;
  }
}

/** Returns the JSON text of a value; the result of JSON.stringify, with exact numbers. */
export function jsonText(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.toString();
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(jsonText).join(",")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`);
  return `{${members.join(",")}}`;
}

class TooDeep extends Error {}

/** Reads the values of a valid JSON text. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(depth: number): unknown {
    if (depth > depthMax) throw new TooDeep();
    switch (this.#next()) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  /** Returns the next character that is not white space. */
  #next(): string {
    const space = /[ \t\n\r]*/y;
    space.lastIndex = this.#at;
    space.exec(this.#text);
    this.#at = space.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #object(depth: number): unknown {
    const members: [string, unknown][] = [];
    this.#at += 1;
    while (this.#next() !== "}") {
      if (this.#next() === ",") this.#at += 1;
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at += 1;
      members.push([key, this.read(depth + 1)]);
    }
    this.#at += 1;
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (this.#next() !== "]") {
      if (this.#next() === ",") this.#at += 1;
      items.push(this.read(depth + 1));
    }
    this.#at += 1;
    return items;
  }

  #string(): string {
    const start = this.#at;
    do {
      this.#at = this.#text.indexOf('"', this.#at + 1);
    } while (isEscaped(this.#text, this.#at));
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #scalar(): unknown {
    const characters = /[-+.\w]+/y;
    characters.lastIndex = this.#at;
    const literal = characters.exec(this.#text)?.[0] ?? "";
    this.#at = characters.lastIndex;
    return /^[-\d]/.test(literal) ? readNumber(literal) : (JSON.parse(literal) as unknown);
  }
}

/** Whether the quote at this position is part of its string. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
