/**
 * Parses a call with its arguments in brackets, such as Python's `name(key="value", other=[1, True])` or `name{key:value}`: keyword
 * arguments with literals only. Converts it to JSON character by character; nothing is executed.
 */
import type { NotationBody } from "../syntax.js";
import { isWholeJson } from "./envelope.js";
import type { Output } from "./output.js";
import { readOne, peek, readUntil, skipSpace, AnswerSource, type Reading } from "./source.js";

const nestingMax = 64;
const wordLengthMax = 1024;
/** Characters of white space, and of a key, that are read ahead. */
const aheadMax = 64;
const literals: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

type Marks = Pick<NotationBody, "open" | "close" | "assign" | "quote" | "escapes" | "nested">;

/** Python's own notation. */
export const pythonMarks: Marks = {
  open: "(",
  close: ")",
  assign: "=",
  quote: '"',
  escapes: true,
  nested: "python",
};

/** @returns whether it is a complete call of a known tool; events are emitted only then. */
export function* readNotation(source: AnswerSource, out: Output, marks: Marks): Reading<boolean> {
  const name = yield* readName(source, out);
  // Models of Llama 3 write `name.call(...)`.
  yield* readOne(source, [".call"]);
  yield* skipSpace(source);
  if (name === null || (yield* readOne(source, [marks.open.trim()])) === null) return false;
  const text = yield* new Reader(source, marks).arguments();
  if (text === null) return false;
  out.startCall(name);
  out.addArguments(`{${text}}`);
  return true;
}

/** Reads the name of a tool; the longest that the text begins with. Reads no more than a name may have. */
export function* readName(source: AnswerSource, out: Output): Reading<string | null> {
  yield* skipSpace(source);
  let name = "";
  for (;;) {
    const code = yield* peek(source);
    const next = code === -1 ? "" : name + String.fromCharCode(code);
    if (next === "" || !out.mayName(next)) return out.tool(name) === undefined ? null : name;
    name = next;
    source.at += 1;
  }
}

/** Returns a literal of Python as JSON; null where the text is not exactly one. */
export function literalJson(text: string): string | null {
  const source = new AnswerSource();
  source.feed(text);
  source.ended = true;
  const step = new Reader(source, pythonMarks).value(0).next();
  return step.done === true && step.value !== null && source.at === source.text.length ? step.value : null;
}

type ReadItem = (depth: number) => Reading<string | null>;

class Reader {
  readonly #source: AnswerSource;
  readonly #marks: Marks;

  constructor(source: AnswerSource, marks: Marks) {
    this.#source = source;
    this.#marks = marks;
  }

  /** Reads keyword arguments up to the closing bracket. @returns the members of the object as JSON */
  arguments(): Reading<string | null> {
    return this.#list(this.#marks.close, 0, (depth) => this.#keyword(depth));
  }

  /** Reads items up to `close`, separated by commas, with an optional trailing comma. @returns them as JSON */
  *#list(close: string, depth: number, item: ReadItem): Reading<string | null> {
    const source = this.#source;
    const items: string[] = [];
    if (depth > nestingMax) return null;
    for (;;) {
      yield* skipSpace(source);
      if ((yield* readOne(source, [close])) !== null) return items.join(",");
      const text = yield* item(depth);
      if (text === null) return null;
      items.push(text);
      yield* skipSpace(source);
      const next = yield* readOne(source, [",", close]);
      if (next === close) return items.join(",");
      if (next === null) return null;
    }
  }

  *#keyword(depth: number): Reading<string | null> {
    const source = this.#source;
    const key = yield* this.#word();
    yield* skipSpace(source);
    if (key === "" || (yield* readOne(source, [this.#marks.assign])) === null) return null;
    const value = yield* this.value(depth);
    return value === null ? null : `${JSON.stringify(key)}:${value}`;
  }

  *#entry(depth: number): Reading<string | null> {
    const source = this.#source;
    const quoted = yield* this.#quoted(depth);
    const word = quoted === null && this.#marks.nested === "same" ? yield* this.#word() : "";
    const key = quoted ?? (word === "" ? null : JSON.stringify(word));
    yield* skipSpace(source);
    if (key === null || (yield* readOne(source, [":"])) === null) return null;
    const value = yield* this.value(depth);
    return value === null ? null : `${key}:${value}`;
  }

  *value(depth: number): Reading<string | null> {
    const source = this.#source;
    yield* skipSpace(source);
    const quoted = yield* this.#quoted(depth);
    if (quoted !== null) return quoted;
    const code = yield* peek(source);
    if (code === 0x5b || code === 0x7b) {
      source.at += 1;
      const isList = code === 0x5b;
      const item: ReadItem = (inner) => (isList ? this.value(inner) : this.#entry(inner));
      const inner = yield* this.#list(isList ? "]" : "}", depth + 1, item);
      if (inner === null) return null;
      return isList ? `[${inner}]` : `{${inner}}`;
    }
    const word = yield* this.#word();
    return literals.get(word) ?? (/^[-0-9]/.test(word) && isWholeJson(word) ? word : null);
  }

  /** Reads letters, digits and the other characters of numbers. */
  *#word(): Reading<string> {
    const source = this.#source;
    let word = "";
    while (word.length < wordLengthMax) {
      const code = yield* peek(source);
      if (code === -1 || !/[\p{L}\p{N}_.+-]/u.test(String.fromCharCode(code))) break;
      word += String.fromCharCode(code);
      source.at += 1;
    }
    return word;
  }

  /** Reads a string. @returns it as JSON; null: there is none, or it is not complete */
  *#quoted(depth: number): Reading<string | null> {
    const source = this.#source;
    const { quote, escapes, nested } = this.#marks;
    const isVerbatim = !escapes && (depth === 0 || nested === "same");
    if (isVerbatim) {
      const other = quote === "'" ? '"' : "'";
      const begins = yield* readOne(source, quote.length === 1 ? [quote, other] : [quote]);
      if (begins !== quote) return begins === null ? null : yield* this.#escaped(begins);
      const text = yield* this.#verbatim(depth);
      return text === null ? null : JSON.stringify(text);
    }
    const met = yield* readOne(source, ['"', "'"]);
    return met === null ? null : yield* this.#escaped(met);
  }

  /** Reads text up to the closing quote. A quotation mark ends it only if no text follows. */
  *#verbatim(depth: number): Reading<string | null> {
    const source = this.#source;
    const { quote } = this.#marks;
    const parts: string[] = [];
    for (;;) {
      const text = yield* readUntil(source, quote, Infinity);
      if (text === null) return null;
      parts.push(text);
      if (quote.length > 1) return parts.join("");
      if (yield* depth === 0 ? this.#endsArgument() : this.#endsItem()) return parts.join("");
      parts.push(quote);
    }
  }

  /** Whether what follows a quotation mark cannot be text in a list or an object. Consumes nothing. */
  *#endsItem(): Reading<boolean> {
    const [next] = yield* this.#ahead(0);
    return next === "" || ",)]}:".includes(next);
  }

  /** Whether another argument, or the end of the call, follows a quotation mark. Consumes nothing. */
  *#endsArgument(): Reading<boolean> {
    const { close, assign, quote } = this.#marks;
    const [next, at] = yield* this.#ahead(0);
    if (next === close) {
      const [after] = yield* this.#ahead(at + 1);
      return after !== quote && !/["'.:;+]/.test(after);
    }
    if (next !== ",") return next === "";
    let [character, place] = yield* this.#ahead(at + 1);
    // A comma may follow the last argument.
    if (character === close) return true;
    while (/[\p{L}\p{N}_-]/u.test(character) && place < at + aheadMax)
      [character, place] = yield* this.#ahead(place + 1, false);
    const [sign] = yield* this.#ahead(place);
    return sign === assign.trim();
  }

  /** Returns the character at an offset, after white space if that is skipped, and its own offset; "" at the end. */
  *#ahead(offset: number, skips = true): Reading<readonly [string, number]> {
    const source = this.#source;
    for (let at = offset; ; at++) {
      while (source.at + at >= source.text.length) {
        if (source.ended) return ["", at];
        yield;
      }
      const character = source.text.charAt(source.at + at);
      if (!skips || at - offset >= aheadMax || !/[ \t\r\n]/.test(character)) return [character, at];
    }
  }

  *#escaped(quote: string): Reading<string | null> {
    const source = this.#source;
    const parts: string[] = [];
    for (;;) {
      const code = yield* peek(source);
      const character = String.fromCharCode(code);
      if (code === -1 || character === "\n") return null;
      source.at += 1;
      if (character === quote) return JSON.stringify(parts.join(""));
      if (character !== "\\") {
        parts.push(character);
        continue;
      }
      const meant = yield* this.#escape();
      if (meant === null) return null;
      parts.push(meant);
    }
  }

  /** Reads what follows a backslash, as Python does: before another character, the backslash is one of the text. */
  *#escape(): Reading<string | null> {
    const source = this.#source;
    const code = yield* peek(source);
    if (code === -1) return null;
    const letter = String.fromCharCode(code);
    const digits = escapeDigits[letter];
    if (digits === undefined) {
      const octal = yield* this.#digits(/[0-7]/, 3);
      if (octal !== "") return String.fromCharCode(Number.parseInt(octal, 8));
      source.at += 1;
      return escapes[letter] ?? `\\${letter}`;
    }
    source.at += 1;
    const hex = yield* this.#digits(/[0-9a-fA-F]/, digits);
    const value = Number.parseInt(hex, 16);
    return hex.length < digits || value > 0x10ffff ? null : String.fromCodePoint(value);
  }

  *#digits(kind: RegExp, max: number): Reading<string> {
    const source = this.#source;
    let digits = "";
    while (digits.length < max) {
      const character = String.fromCharCode(yield* peek(source));
      if (!kind.test(character)) break;
      digits += character;
      source.at += 1;
    }
    return digits;
  }
}

/** Escapes of a code unit, and how many hexadecimal digits each has. */
const escapeDigits: Readonly<Record<string, number>> = { u: 4, x: 2, U: 8 };

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  a: "\u0007",
  v: "\v",
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
};
