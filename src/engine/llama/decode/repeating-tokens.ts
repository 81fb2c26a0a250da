/**
 * Finds the tokens that would end a key which the JSON object being written already has. A grammar cannot count the keys of an open
 * object, so these tokens are suppressed while the answer is sampled.
 */
import type { Token } from "node-llama-cpp";
import type { ObjectKeys } from "../../../core/json/object-keys.js";
import type { Resident } from "../load/resident.js";

/** Returns the tokens that would repeat a key next; most often none. */
export function repeatingTokens({ tokenBytes }: Resident, keys: ObjectKeys): readonly Token[] {
  const place = keys.mayRepeat;
  if (place === null) return [];
  // Outside a key, only a token with both quotation marks of one can end it.
  const { one, several } = tokenBytes.withQuotes();
  const tokens = place === "inside a key" ? [...one, ...several] : several;
  return tokens.filter((token) => repeats(tokenBytes.of(token), keys)) as Token[];
}

/** Returns whether the bytes of a token would end a key that its object already has. */
function repeats(bytes: Uint8Array, keys: ObjectKeys): boolean {
  return keys.copy().push(Buffer.from(bytes).toString()) !== null;
}
