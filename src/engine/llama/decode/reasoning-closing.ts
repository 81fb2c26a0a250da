import type { Token } from "node-llama-cpp";
import type { Resident } from "../load/resident.js";

/** Returns the tokens that end a reasoning block, so that the answer follows; null where the model's format has none. */
export function reasoningClosing({ reasoning, tools, weights }: Resident): readonly Token[] | null {
  const text = reasoning === null ? tools.reasoningClosing : `\n${reasoning.close}\n\n`;
  return text === null ? null : weights.tokenize(text, true);
}
