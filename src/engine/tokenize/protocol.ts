import type { PackedTokens } from "../packed-tokens.js";

/** One text for the thread. */
export interface TokenizeWork {
  /** What is asked: its tokens, or only how many they are. */
  readonly type: "tokenize" | "count";
  /** A file of tiktoken's `encoders` folder. */
  readonly encoding: string;
  readonly text: string;
}

export type TokenizeOutcome =
  | { readonly type: "tokenized"; readonly tokens: PackedTokens }
  | { readonly type: "counted"; readonly count: number };
