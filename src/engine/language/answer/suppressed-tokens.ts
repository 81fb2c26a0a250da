/**
 * Finds the tokens that are suppressed while an answer is sampled: those that would end a key which the JSON object being written already
 * has, since a grammar cannot count the keys of an open object, those that would repeat an item of an array with `uniqueItems`, and those
 * that begin a call which must not be written.
 */
import type { Token } from "node-llama-cpp";
import type { ObjectKeys } from "../../../core/json/object-keys.js";
import type { RepeatedItems } from "./constraint.js";
import type { ModelLanguage } from "../language.js";
import type { TokenText } from "../prompt/token-beginnings.js";
import type { TokenBytes } from "../prompt/token-bytes.js";

/** Returns the tokens that would repeat a key next; most often none. */
export function repeatingTokens(tokenBytes: TokenBytes, keys: ObjectKeys): readonly Token[] {
  const place = keys.mayRepeat;
  if (place === null) return [];
  // Outside a key, only a token with both quotation marks of one can end it.
  const { one, several } = tokenBytes.withQuotes();
  const tokens = place === "inside a key" ? [...one, ...several] : several;
  return tokens.filter((token) => repeats(tokenBytes.of(token), keys)) as Token[];
}

/** Returns the tokens that would repeat an item of an array whose items must differ, or leave no other item; most often none. */
export function repeatingItemTokens(tokenBytes: TokenBytes, repeats: RepeatedItems | null): readonly Token[] {
  if (repeats === null) return [];
  const { characters, inString, rests } = repeats;
  const index = tokenBytes.beginnings();
  const found = new Map<number, string>();
  const add = (list: readonly TokenText[]): void => {
    for (const { token, text } of list) found.set(token, text);
  };
  for (const character of characters) add(index.beginningWith(character));
  for (const rest of rests) add(index.continuing(rest, inString));
  return [...found].flatMap(([token, text]) => (repeats.isBy(text) ? [token as Token] : []));
}

/** Returns the tokens that are the first mark of a call. A mark of several tokens is left to the parser. */
export function openingTokens({ tools, controlTokens }: ModelLanguage): readonly Token[] {
  return tools.openings.flatMap(({ pieces: [mark = ""], atStart }) => {
    const tokens = atStart || mark === "" ? [] : controlTokens(mark);
    return tokens.length === 1 ? tokens : [];
  });
}

/** Returns whether the bytes of a token would end a key that its object already has. */
function repeats(bytes: Uint8Array, keys: ObjectKeys): boolean {
  return keys.copy().push(Buffer.from(bytes).toString()) !== null;
}
