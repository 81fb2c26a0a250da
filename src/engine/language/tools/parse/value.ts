/** Converts the text of an argument to JSON. */
import { listTypes } from "../parameters.js";
import { isWholeJson } from "./envelope.js";
import { literalJson } from "./notation.js";

/** Returns a string if the schema allows only strings; else the literal as JSON, or a string if the text is none. */
export function valueJson(text: string, schema: unknown, python: boolean): string {
  const types = listTypes(schema);
  if (types?.size === 1 && types.has("string")) return JSON.stringify(text);
  const trimmed = text.trim();
  const word = types?.has("boolean") === true ? trimmed.toLowerCase() : trimmed;
  if (word === "true" || word === "false") return word;
  if (trimmed === "None" && types?.has("null") === true) return "null";
  if (isWholeJson(trimmed)) return trimmed;
  return (python ? literalJson(trimmed) : null) ?? JSON.stringify(text);
}
