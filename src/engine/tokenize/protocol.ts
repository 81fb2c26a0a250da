import type { PackedTokens } from "../packed-tokens.js";

/** One text for the thread. */
export interface TokenizeWork {
  /** A file of tiktoken's `encoders` folder. */
  readonly encoding: string;
  readonly text: string;
}

export interface TokenizeOutcome {
  readonly type: "tokenized";
  readonly tokens: PackedTokens;
}
