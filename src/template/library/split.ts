/** Splitting and joining of texts, with the rules of Python. */
import { endOfSpace, isPythonSpace, startOfSpace } from "../syntax/space.js";
import { TemplateError } from "../values/values.js";

/** @param characters those that are removed at the ends; white space if it is null */
export function stripped(text: string, characters: string | null, sides: "both" | "start" | "end"): string {
  if (characters === null) {
    const end = sides === "start" ? text.length : startOfSpace(text);
    return text.slice(sides === "end" ? 0 : Math.min(end, endOfSpace(text)), end);
  }
  const removed = new Set(characters);
  const all = Array.from(text);
  let [start, end] = [0, all.length];
  if (sides !== "end") while (start < end && removed.has(all[start] ?? "")) start += 1;
  if (sides !== "start") while (end > start && removed.has(all[end - 1] ?? "")) end -= 1;
  return all.slice(start, end).join("");
}

/** @param max splits at most; all if it is negative */
export function split(text: string, separator: string | null, max: number): string[] {
  if (separator === null) return splitAtSpace(text, max);
  if (separator === "") throw new TemplateError("empty separator");
  const parts = text.split(separator);
  if (max < 0 || parts.length <= max + 1) return parts;
  return [...parts.slice(0, max), parts.slice(max).join(separator)];
}

function splitAtSpace(text: string, max: number): string[] {
  const parts: string[] = [];
  let at = endOfSpace(text);
  while (at < text.length) {
    if (max >= 0 && parts.length >= max) {
      parts.push(text.slice(at));
      break;
    }
    let end = at;
    while (end < text.length && !isPythonSpace(text.charAt(end))) end += 1;
    parts.push(text.slice(at, end));
    at = endOfSpace(text, end);
  }
  return parts;
}

/** What ends a line, with the rules of Python. */
const lineEnd = /\r\n|[\n-\r\u0085\u2028\u2029]|\p{Cc}/gu;
const separators = /[\r\n\v\f\u0085\u2028\u2029]/;

/** @param keep whether the ends of the lines stay */
export function lines(text: string, keep: boolean): string[] {
  const found: string[] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(lineEnd)) {
    const code = end.charCodeAt(0);
    if (!separators.test(end) && (code < 28 || code > 30)) continue;
    const next = index + end.length;
    found.push(text.slice(start, keep ? next : index));
    start = next;
  }
  if (start < text.length) found.push(text.slice(start));
  return found;
}

export function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
