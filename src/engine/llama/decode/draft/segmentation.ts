/**
 * How a model cuts forced text into tokens: as its answers did before, where they had the same text, else as the tokenizer does, which is
 * what large models nearly always choose. No team sees the effect of another's answers.
 */
import { LRUCache } from "lru-cache";
import type { Token } from "node-llama-cpp";
import type { TokenBytes } from "../../../language/prompt/token-bytes.js";

/** Characters of the text that a token was chosen for: it depends on those that follow it. */
const keyLength = 8;
const tokensKeptMax = 4096;

/** The tokens that answers of one model had for forced texts. */
export class Segmentation {
  readonly #tokenBytes: TokenBytes;
  readonly #tokenize: (text: string) => readonly Token[];
  readonly #chosen = new LRUCache<string, Token>({ max: tokensKeptMax });

  /** @param tokenize cuts a text that continues another */
  constructor(tokenBytes: TokenBytes, tokenize: (text: string) => readonly Token[]) {
    this.#tokenBytes = tokenBytes;
    this.#tokenize = tokenize;
  }

  /** Learns from the tokens that were sampled where this text was forced. */
  learn(teamId: string, text: string, sampled: readonly Token[]): void {
    let rest = text;
    for (const token of sampled) {
      const written = this.#readText(token);
      if (written === "" || !rest.startsWith(written)) return;
      this.#chosen.set(createKey(teamId, rest), token);
      rest = rest.slice(written.length);
    }
  }

  /** Returns the tokens that a model is likely to choose for the text, at most `tokensMax`. */
  predictTokens(teamId: string, text: string, tokensMax: number): readonly Token[] {
    const tokens: Token[] = [];
    let rest = text;
    while (rest !== "" && tokens.length < tokensMax) {
      const token = this.#chosen.get(createKey(teamId, rest));
      const written = token === undefined ? "" : this.#readText(token);
      if (token === undefined || !rest.startsWith(written)) break;
      tokens.push(token);
      rest = rest.slice(written.length);
    }
    // A space is often a part of the token that follows it.
    const complete = rest.length > 1 && rest.endsWith(" ") ? rest.slice(0, -1) : rest;
    if (complete !== "" && tokens.length < tokensMax) tokens.push(...this.#tokenize(complete));
    return tokens.slice(0, tokensMax);
  }

  #readText(token: Token): string {
    return Buffer.from(this.#tokenBytes.of(token)).toString();
  }
}

function createKey(teamId: string, text: string): string {
  return `${teamId} ${text.slice(0, keyLength)}`;
}
