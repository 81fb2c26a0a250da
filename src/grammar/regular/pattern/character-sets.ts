import type { AST } from "@eslint-community/regexpp";
import { wordCharacters } from "../nfa.js";
import {
  complementRanges,
  everyCodePoint,
  intersectRanges,
  type Ranges,
  toRanges,
  uniteRanges,
} from "../ranges.js";

const digits: Ranges = [0x30, 0x39];
const lineEnds: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
/** White space and line terminators of ECMA-262. */
const spaces = toRanges(
  [0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a].concat([
    0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
  ]),
);

/**
 * Returns the characters that this element of a regular expression matches. @throws RangeError for a set of
 * strings (flag v)
 */
export function characterSet(element: AST.Character | AST.CharacterSet | AST.CharacterClass): Ranges {
  switch (element.type) {
    case "Character":
      return toRanges([element.value, element.value]);
    case "CharacterSet":
      return namedSet(element);
    case "CharacterClass": {
      const set = uniteRanges(element.elements.map(member));
      return element.negate ? complementRanges(set) : set;
    }
  }
}

function member(element: AST.CharacterClassElement): Ranges {
  switch (element.type) {
    case "CharacterClassRange":
      return toRanges([element.min.value, element.max.value]);
    case "Character":
    case "CharacterSet":
      return characterSet(element);
    default:
      throw new RangeError(`${element.type} is of the flag v`);
  }
}

function namedSet(element: AST.CharacterSet): Ranges {
  switch (element.kind) {
    case "any":
      return complementRanges(lineEnds);
    case "digit":
      return element.negate ? complementRanges(digits) : digits;
    case "word":
      return element.negate ? complementRanges(wordCharacters) : wordCharacters;
    case "space":
      return element.negate ? complementRanges(spaces) : spaces;
    case "property": {
      const set = unicodeSet(element.value === null ? element.key : `${element.key}=${element.value}`);
      return element.negate ? complementRanges(set) : set;
    }
  }
}

const unicodeSets = new Map<string, Ranges>();
let everyCharacter = "";

/** Returns the code points with a Unicode property, from the runtime's own tables, memoized. */
function unicodeSet(property: string): Ranges {
  const known = unicodeSets.get(property);
  if (known !== undefined) return known;
  everyCharacter ||= allCharacters();
  const pairs: number[] = [];
  for (const { 0: run, index } of everyCharacter.matchAll(new RegExp(`\\p{${property}}+`, "gu"))) {
    // A match can span the gap of the surrogates; intersecting with everyCodePoint removes them.
    pairs.push(everyCharacter.codePointAt(index) ?? 0, codePointBefore(index + run.length));
  }
  const set = intersectRanges(toRanges(pairs), everyCodePoint);
  unicodeSets.set(property, set);
  return set;
}

function codePointBefore(end: number): number {
  const low = everyCharacter.charCodeAt(end - 1);
  return low >= 0xdc00 && low <= 0xdfff ? (everyCharacter.codePointAt(end - 2) ?? 0) : low;
}

function allCharacters(): string {
  const chunks: string[] = [];
  for (let i = 0; i < everyCodePoint.length; i += 2) {
    for (let low = everyCodePoint[i] ?? 0; low <= (everyCodePoint[i + 1] ?? 0); low += 4096) {
      const length = Math.min(4096, (everyCodePoint[i + 1] ?? 0) - low + 1);
      chunks.push(String.fromCodePoint(...Array.from({ length }, (_, k) => low + k)));
    }
  }
  return chunks.join("");
}
