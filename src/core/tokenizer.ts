import type { TextToken } from "./engine.js";

/** The port to the tokenizers of models that run elsewhere, by the names under which hosted services offer them. */
export interface HostedTokenizer {
  knows(model: string): boolean;
  /**
   * The tokens of a text, exactly as that model reads it; what looks like a control token is plain text.
   * @throws HearthError `invalid_value` naming `text` when it takes too long to read; `overloaded` when too many wait;
   *   `model_not_found` for a name that it does not know.
   * @throws the signal's reason when it aborts before the tokens are there.
   */
  tokenize(model: string, text: string, signal: AbortSignal): Promise<readonly TextToken[]>;
  /**
   * How many tokens a text is by an encoding of nowadays, whoever is to read it.
   * @throws as `tokenize` does.
   */
  count(text: string, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}
