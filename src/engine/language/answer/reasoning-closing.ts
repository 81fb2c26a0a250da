import type { Token } from "node-llama-cpp";
import type { ModelLanguage } from "../language.js";

/** Returns the tokens that end a reasoning block, so that the answer follows; null where the model's format has none. */
export function reasoningClosing({
  reasoning,
  tools,
  controlTokens,
}: ModelLanguage): readonly Token[] | null {
  const text = reasoning === null ? tools.reasoningClosing : `\n${reasoning.close}\n\n`;
  return text === null ? null : controlTokens(text);
}
