/** Letters and cases of texts, as Python's methods see them. */
import { splitCharacters } from "../values/values.js";

/** Returns a text with its first character in upper case and all others in lower case. */
export function capitalized(text: string): string {
  const [first = ""] = splitCharacters(text.slice(0, 2));
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Returns a text in which each run of letters begins in upper case. */
export function titled(text: string): string {
  return text.replace(/\p{L}[\p{L}\p{M}]*/gu, capitalized);
}

const hasCase = /[\p{Lu}\p{Ll}\p{Lt}]/u;
export const isLower = (text: string): boolean => hasCase.test(text) && text === text.toLowerCase();
export const isUpper = (text: string): boolean => hasCase.test(text) && text === text.toUpperCase();
const isTitle = (text: string): boolean => hasCase.test(text) && text === titled(text);

/** Whether all characters of a text are of one kind, by the method that asks. */
export const classes: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["isalnum", (text: string) => /^[\p{L}\p{Nd}\p{Nl}\p{No}]+$/u.test(text)],
  ["isalpha", (text: string) => /^\p{L}+$/u.test(text)],
  ["isascii", (text: string) => !/[^\0-\x7f]/.test(text)],
  ["isdecimal", (text: string) => /^\p{Nd}+$/u.test(text)],
  ["isdigit", (text: string) => /^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]+$/u.test(text)],
  ["isnumeric", (text: string) => /^[\p{Nd}\p{Nl}\p{No}]+$/u.test(text)],
  ["isidentifier", (text: string) => /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(text)],
  ["isprintable", (text: string) => !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text)],
  ["islower", isLower],
  ["isupper", isUpper],
  ["istitle", isTitle],
]);
