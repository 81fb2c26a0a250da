/**
 * Looks up how a text went on where its last tokens occurred before, in the prompt or in the answer itself: an answer that edits its
 * prompt, or extracts from it, repeats parts of it.
 */
import type { Token } from "node-llama-cpp";

/** Tokens that must match: fewer match by chance too often. */
const matchTokens = 3;
/** Tokens at the end of the prompt that are searched. */
const promptTokensMax = 8_192;

export class TokenLookup {
  readonly #tokens: Token[];
  /** Where the text went on most recently, by the tokens before. */
  readonly #next = new Map<number, number>();
  /** How many positions are in `#next`. */
  #indexed = matchTokens;

  constructor(prompt: Uint32Array) {
    this.#tokens = Array.from(prompt.subarray(Math.max(0, prompt.length - promptTokensMax))) as Token[];
  }

  /** Adds the next token of the text. */
  push(token: Token): void {
    this.#tokens.push(token);
  }

  /** Returns how the text is likely to go on; nothing where its last tokens did not occur before. */
  find(tokensMax: number): readonly Token[] {
    const tokens = this.#tokens;
    const end = tokens.length;
    for (; this.#indexed < end; this.#indexed += 1)
      this.#next.set(this.#createKey(this.#indexed), this.#indexed);
    const found = end < matchTokens ? undefined : this.#next.get(this.#createKey(end));
    if (found === undefined) return [];
    for (let back = 1; back <= matchTokens; back += 1)
      if (tokens[found - back] !== tokens[end - back]) return [];
    const next = tokens.slice(found, found + tokensMax);
    // A text that repeats itself goes on as it began to.
    while (next.length < tokensMax) next.push(...next.slice(0, tokensMax - next.length));
    return next;
  }

  /** Returns a number for the tokens before a position; different tokens rarely have the same. */
  #createKey(end: number): number {
    let key = 0;
    for (let back = matchTokens; back > 0; back -= 1)
      key = (Math.imul(key, 0x9e37_79b1) + (this.#tokens[end - back] ?? 0)) | 0;
    return key;
  }
}
