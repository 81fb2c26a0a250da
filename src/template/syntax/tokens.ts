/** Reads tokens one after the other. */
import { TemplateError } from "../values/values.js";
import type { Token } from "./lexer.js";

const end: Token = { kind: "end", value: "" };

export class Tokens {
  #at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get next(): Token {
    return this.tokens[this.#at] ?? end;
  }

  /** The token behind the next one. */
  get second(): Token {
    return this.tokens[this.#at + 1] ?? end;
  }

  take(): Token {
    const token = this.next;
    this.#at += 1;
    return token;
  }

  /** Returns whether the next token is one of these operators. */
  isOperator(...values: readonly string[]): boolean {
    return this.next.kind === "operator" && values.includes(this.next.value);
  }

  /** Returns whether the next token is one of these names. */
  isName(...values: readonly string[]): boolean {
    return this.next.kind === "name" && values.includes(this.next.value);
  }

  /** Takes the operator if it is next. */
  skip(operator: string): boolean {
    if (!this.isOperator(operator)) return false;
    this.#at += 1;
    return true;
  }

  skipName(name: string): boolean {
    if (!this.isName(name)) return false;
    this.#at += 1;
    return true;
  }

  /** @throws TemplateError when another token is next */
  expect(operator: string): void {
    if (!this.skip(operator)) throw this.unexpected(`'${operator}'`);
  }

  expectName(name?: string): string {
    const token = this.take();
    if (token.kind === "name" && (name === undefined || token.value === name)) return token.value;
    this.#at -= 1;
    throw this.unexpected(name === undefined ? "a name" : `'${name}'`);
  }

  expectBlockEnd(): void {
    if (this.next.kind !== "block-end") throw this.unexpected("end of statement block");
    this.#at += 1;
  }

  unexpected(expected?: string): TemplateError {
    const { kind, value } = this.next;
    const found = kind === "end" ? "end of template" : value === "" ? kind : `'${value}'`;
    return new TemplateError(
      expected === undefined ? `unexpected ${found}` : `expected ${expected}, got ${found}`,
    );
  }
}
