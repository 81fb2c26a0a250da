import { literal, type RuleSet } from "../gbnf.js";
import { complementRanges, intersectRanges, type Ranges } from "./ranges.js";

/** A longer character class becomes a separate rule, so that its text occurs only once in the grammar. */
const inlineLengthMax = 48;

/** Returns a terminal that matches one character of the set, unescaped. */
export function characterClass(set: Ranges, rules: RuleSet): string {
  const [low, high] = set;
  if (low !== undefined && low === high && set.length === 2) return literal(String.fromCodePoint(low));
  let text = "[";
  for (let i = 0; i < set.length; i += 2) {
    const from = set[i] ?? 0;
    const to = set[i + 1] ?? 0;
    text += member(from);
    if (to > from) text += to > from + 1 ? `-${member(to)}` : member(to);
  }
  text += "]";
  return text.length > inlineLengthMax ? rules.add(text) : text;
}

function member(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/[A-Za-z0-9_.,:;/@ ]/.test(character)) return character;
  const hex = codePoint.toString(16).toUpperCase();
  if (codePoint <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return codePoint <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** The characters that a JSON string may contain unescaped. */
const rawInJson = complementRanges([0, 0x1f, 0x22, 0x22, 0x5c, 0x5c]);
const shortEscapes = new Map([
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0c, "f"],
  [0x0d, "r"],
  [0x22, '"'],
  [0x5c, "\\"],
]);

/**
 * A character set as JSON strings write it: unescaped characters, single-letter escapes, and `\u00` escapes.
 */
export interface JsonForms {
  readonly raw: Ranges;
  readonly letters: readonly string[];
  readonly codes: readonly string[];
}

/** Returns how JSON writes the characters of a set. Each character has exactly one form, the shortest. */
export function jsonForms(set: Ranges): JsonForms {
  if ((set[0] ?? 0) > 0x5c) return { raw: set, letters: [], codes: [] };
  const letters: string[] = [];
  const codes: string[] = [];
  for (const codePoint of escapedIn(set)) {
    const letter = shortEscapes.get(codePoint);
    if (letter === undefined) codes.push(codePoint.toString(16).padStart(2, "0"));
    else letters.push(letter);
  }
  return { raw: intersectRanges(set, rawInJson), letters, codes };
}

function escapedIn(set: Ranges): number[] {
  const found: number[] = [];
  for (let i = 0; i < set.length; i += 2) {
    const to = Math.min(set[i + 1] ?? 0, 0x5c);
    for (let codePoint = set[i] ?? 0; codePoint <= to; codePoint++) {
      if (codePoint < 0x20 || codePoint === 0x22 || codePoint === 0x5c) found.push(codePoint);
    }
  }
  return found;
}

/** Returns the text after the backslash of an escape, for these letters and codes. */
export function escapeRest(letters: readonly string[], codes: readonly string[], rules: RuleSet): string {
  const key = `${letters.join("")} ${codes.join("")}`;
  return rules.memoized(shortEscapes, key, () => escapeRestOnce(letters, codes, rules));
}

function escapeRestOnce(letters: readonly string[], codes: readonly string[], rules: RuleSet): string {
  const alternatives: string[] = [];
  for (const [first, seconds] of bySixteens(codes)) {
    alternatives.push(`${literal(`u00${first}`)} ${addChoice(seconds, rules)}`);
  }
  if (letters.length > 0) alternatives.push(addChoice(letters, rules));
  const [only, second] = alternatives;
  return only !== undefined && second === undefined ? only : rules.add(alternatives.join(" | "));
}

function addChoice(characters: readonly string[], rules: RuleSet): string {
  const codePoints = characters.map((character) => character.charCodeAt(0)).sort((a, b) => a - b);
  const pairs: number[] = [];
  for (const codePoint of codePoints) {
    if (pairs.at(-1) === codePoint - 1) pairs[pairs.length - 1] = codePoint;
    else pairs.push(codePoint, codePoint);
  }
  return characterClass(pairs, rules);
}

function bySixteens(codes: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const code of codes) {
    const [first = "", second = ""] = code;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [second]);
    else group.push(second);
  }
  return groups;
}
