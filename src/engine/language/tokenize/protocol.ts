import type { PackedTokens } from "../packed-tokens.js";

export interface TokenizeRequest {
  /** Whether the tokens are returned, or only their number. */
  readonly type: "tokenize" | "count";
  /** Name of a file in tiktoken's `encoders` folder. */
  readonly encoding: string;
  readonly text: string;
}

/** Results by the type of the request; null: the text would take too long. */
export interface TokenizeReplies {
  readonly tokenize: PackedTokens | null;
  readonly count: number | null;
}
