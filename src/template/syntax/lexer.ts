/** Splits the source of a template into tokens, with `trim_blocks` and `lstrip_blocks` as chat templates have them. */
import { endOfSpace, startOfSpace } from "./space.js";
import { TemplateError } from "../values/values.js";

type Kind =
  | "text"
  | "block-begin"
  | "block-end"
  | "output-begin"
  | "output-end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "end";

export interface Token {
  readonly kind: Kind;
  readonly value: string;
}

const inside =
  /(?<float>(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+))|(?<integer>0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|\d(?:_?\d)*)|(?<name>[\p{L}_][\p{L}\p{N}\p{M}_]*)|(?<string>'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")|(?<operator>\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}<>=.:|,;])/uy;
const opening = /\{[{%#]/g;
const rawBlock = /\{%[-+]?\s*raw\s*(-%\}|%\}\n?)/y;
const endRaw = /\{%([-+]?)\s*endraw\s*(-%\}|\+%\}|%\}\n?)/g;
const pairs: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/** @throws TemplateError for what is not Jinja */
export function splitTokens(source: string): readonly Token[] {
  return new Lexer(source.replace(/\r\n?/g, "\n").replace(/\n$/, "")).read();
}

class Lexer {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(private readonly source: string) {}

  read(): readonly Token[] {
    while (this.#at < this.source.length) this.#readText();
    this.#add("end", "");
    return this.#tokens;
  }

  #add(kind: Kind, value: string): void {
    this.#tokens.push({ kind, value });
  }

  #addText(text: string): void {
    if (text !== "") this.#add("text", text);
  }

  /** Reads a text and the tag behind it. */
  #readText(): void {
    const from = this.#at;
    opening.lastIndex = from;
    const found = opening.exec(this.source);
    if (found === null) {
      this.#at = this.source.length;
      return this.#addText(this.source.slice(from));
    }
    const start = found.index;
    const sign = this.source.charAt(start + 2);
    const text = this.source.slice(from, start);
    const isOutput = found[0] === "{{";
    if (sign === "-") this.#addText(text.slice(0, startOfSpace(text)));
    else this.#addText(sign === "+" || isOutput ? text : this.#withoutIndent(text, from));
    this.#at = start + (sign === "-" || sign === "+" ? 3 : 2);
    if (found[0] === "{#") return this.#skipComment();
    if (isOutput) return this.#readTag("output");
    rawBlock.lastIndex = start;
    const raw = rawBlock.exec(this.source);
    if (raw !== null) return this.#readRaw(start + raw[0].length, raw[1] ?? "");
    this.#readTag("block");
  }

  /** Removes the spaces between the start of the line and a block. */
  #withoutIndent(text: string, from: number): string {
    const line = text.lastIndexOf("\n") + 1;
    const startsLine = line > 0 || from === 0 || this.source.charAt(from - 1) === "\n";
    return startsLine && startOfSpace(text) <= line ? text.slice(0, line) : text;
  }

  #skipComment(): void {
    // The sign may be a part of the end: {#-#}
    const end = this.source.indexOf("#}", this.#at);
    if (end === -1) throw new TemplateError("Missing end of comment tag");
    const sign = end > this.#at ? this.source.charAt(end - 1) : "";
    this.#at = end + 2;
    this.#afterBlock(sign);
  }

  /** Continues behind the end of a block or a comment. */
  #afterBlock(sign: string): void {
    if (sign === "-") this.#at = endOfSpace(this.source, this.#at);
    else if (sign !== "+" && this.source.charAt(this.#at) === "\n") this.#at += 1;
  }

  #readRaw(from: number, ending: string): void {
    const start = ending.startsWith("-") ? endOfSpace(this.source, from) : from;
    endRaw.lastIndex = from;
    const end = endRaw.exec(this.source);
    if (end === null) throw new TemplateError("Missing end of raw directive");
    const text = this.source.slice(start, Math.max(start, end.index));
    if (end[1] === "-") this.#addText(text.slice(0, startOfSpace(text)));
    else this.#addText(end[1] === "+" ? text : this.#withoutIndent(text, start));
    this.#at = end.index + end[0].length;
    if ((end[2] ?? "").startsWith("-")) this.#at = endOfSpace(this.source, this.#at);
  }

  /** Reads the tokens of a tag up to its end. */
  #readTag(kind: "block" | "output"): void {
    this.#add(`${kind}-begin`, "");
    const end = kind === "block" ? "%}" : "}}";
    const open: string[] = [];
    for (;;) {
      this.#at = endOfSpace(this.source, this.#at);
      if (open.length === 0 && this.#endsTag(kind, end)) return;
      this.#readToken(open);
    }
  }

  #endsTag(kind: "block" | "output", end: string): boolean {
    const { source } = this;
    const next = source.charAt(this.#at);
    const sign = next === "-" || (next === "+" && kind === "block") ? next : "";
    if (!source.startsWith(end, this.#at + sign.length)) return false;
    this.#add(`${kind}-end`, "");
    this.#at += sign.length + end.length;
    if (kind === "block") this.#afterBlock(sign);
    else if (sign === "-") this.#at = endOfSpace(source, this.#at);
    return true;
  }

  /** @param open the closing brackets that are still to come */
  #readToken(open: string[]): void {
    inside.lastIndex = this.#at;
    const found = inside.exec(this.source);
    if (found === null) throw this.#unexpected();
    this.#at += found[0].length;
    const { float, integer, name, string } = found.groups ?? {};
    if (float !== undefined) return this.#add("float", float.replaceAll("_", ""));
    if (integer !== undefined) return this.#add("integer", integer.replaceAll("_", ""));
    if (name !== undefined) return this.#add("name", name);
    if (string !== undefined) return this.#add("string", unescaped(string.slice(1, -1)));
    const closing = pairs.get(found[0]);
    if (closing !== undefined) open.push(closing);
    else if (")]}".includes(found[0]) && open.pop() !== found[0])
      throw new TemplateError(`unexpected '${found[0]}'`);
    this.#add("operator", found[0]);
  }

  #unexpected(): TemplateError {
    if (this.#at >= this.source.length) return new TemplateError("it is cut off inside a tag");
    return new TemplateError(`unexpected char '${this.source.charAt(this.#at)}' at ${this.#at}`);
  }
}

/** The escape sequences of Python's texts. */
const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([abfnrtv\\'"\n]))/g;
const characters: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\n", ""],
]);

/** Returns the text that a literal between quotes means. A backslash before any other character stays. */
function unescaped(literal: string): string {
  if (!literal.includes("\\")) return literal;
  return literal.replace(
    escape,
    (whole, two?: string, four?: string, eight?: string, octal?: string, character?: string) => {
      if (character !== undefined) return characters.get(character) ?? character;
      const code = octal === undefined ? parseInt(two ?? four ?? eight ?? "", 16) : parseInt(octal, 8);
      return code > 0x10ffff ? whole : String.fromCodePoint(code);
    },
  );
}
