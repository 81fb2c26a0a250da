import type { TextTokens } from "./engine.js";

/** The port to the tokenizers of models of hosted services, by the names those services use. */
export interface HostedTokenizer {
  knows(model: string): boolean;
  /**
   * Returns the tokens of a text, exactly as the model reads it; control tokens in the text are plain text.
   * @throws HearthError `invalid_value` naming `text` when tokenizing takes too long; `overloaded` when too many requests wait;
   *   `model_not_found` for an unknown name.
   * @throws the signal's reason when it aborts first.
   */
  tokenize(model: string, text: string, signal: AbortSignal): Promise<TextTokens>;
  /**
   * Returns the number of tokens of a text in a common current encoding, independent of the model.
   * @throws as `tokenize` does.
   */
  count(text: string, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}
