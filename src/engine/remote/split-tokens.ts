/**
 * Finds tokens that a server has sampled and not sent, from the bytes that they have: llama-server sends no token that ends inside of a
 * character, and the whole text of the character with the token that completes it.
 */
import type { TokenBytes } from "../language/prompt/token-bytes.js";

/** Ways that are looked for: of two, none is certain. */
const waysMax = 2;
/** Tokens that are looked for: a server holds back a few, whose bytes are of one character after the other. */
const tokensMax = 64;
/** Tokens that are considered, over all ways. */
const stepsMax = 10_000;

export class TokenSplitter {
  readonly #tokenBytes: TokenBytes;
  readonly #vocabularyTokens: number;
  /** Tokens by the text of their bytes; made when they are first needed. */
  #byBytes: ReadonlyMap<string, readonly number[]> | null = null;
  #longest = 1;

  constructor(tokenBytes: TokenBytes, vocabularyTokens: number) {
    this.#tokenBytes = tokenBytes;
    this.#vocabularyTokens = vocabularyTokens;
  }

  /**
   * Returns the `count` tokens that have these bytes; null: there are none, or several.
   * @param bytes the text that came with `last`, its own included
   */
  before(last: number, bytes: Uint8Array, count: number): readonly number[] | null {
    if (count > Math.min(tokensMax, bytes.length)) return null;
    const text = Buffer.from(bytes).toString("latin1");
    const end = Buffer.from(this.#tokenBytes.of(last)).toString("latin1");
    if (!text.endsWith(end)) return null;
    const ways: (readonly number[])[] = [];
    this.#search(text.slice(0, text.length - end.length), count, [], ways, { left: stepsMax });
    return ways.length === 1 ? (ways[0] ?? null) : null;
  }

  #search(
    text: string,
    count: number,
    chosen: readonly number[],
    ways: (readonly number[])[],
    steps: { left: number },
  ): void {
    if (count === 0) {
      if (text === "") ways.push(chosen);
      return;
    }
    for (let length = Math.min(this.#longestToken(), text.length); length > 0; length -= 1) {
      for (const token of this.#tokenize(text.slice(0, length))) {
        steps.left -= 1;
        // Not all ways were seen: none is certain.
        if (steps.left < 0) ways.push(chosen, chosen);
        if (ways.length >= waysMax) return;
        this.#search(text.slice(length), count - 1, [...chosen, token], ways, steps);
      }
    }
  }

  #tokenize(text: string): readonly number[] {
    return this.#index().get(text) ?? [];
  }

  #longestToken(): number {
    this.#index();
    return this.#longest;
  }

  #index(): ReadonlyMap<string, readonly number[]> {
    if (this.#byBytes !== null) return this.#byBytes;
    const byBytes = new Map<string, number[]>();
    for (let token = 0; token < this.#vocabularyTokens; token += 1) {
      const text = Buffer.from(this.#tokenBytes.of(token)).toString("latin1");
      if (text === "") continue;
      this.#longest = Math.max(this.#longest, text.length);
      const known = byBytes.get(text);
      if (known === undefined) byBytes.set(text, [token]);
      else known.push(token);
    }
    return (this.#byBytes = byBytes);
  }
}
