import { writeJson } from "../../core/json/member-texts.js";

/** The content type of a stream of JSON values, one on each line. */
export const linesType = "application/x-ndjson";

/** Returns a line. @param texts the JSON texts of objects in the value that have numbers which the value does not keep */
export function jsonLine(value: object, texts: ReadonlyMap<object, string> = new Map()): string {
  return `${texts.size === 0 ? JSON.stringify(value) : writeJson(value, texts)}\n`;
}
