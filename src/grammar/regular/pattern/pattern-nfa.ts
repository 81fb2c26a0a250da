import type { AST } from "@eslint-community/regexpp";
import { type Nfa, wordCharacters } from "../nfa.js";
import {
  everyCodePoint,
  complementRanges,
  intersectRanges,
  type Ranges,
  toRanges,
  uniteRanges,
} from "../ranges.js";

/**
 * Compiles regular expressions into an NFA. Elements that are not regular are replaced by a superset: a
 * lookaround is ignored, and a backreference matches whatever its group can match.
 */
export class PatternNfa {
  readonly #nfa: Nfa;
  /** False once an element was replaced by a superset. */
  exact = true;

  constructor(nfa: Nfa) {
    this.#nfa = nfa;
  }

  /** @returns the node after the alternatives */
  alternatives(alternatives: readonly AST.Alternative[], from: number): number {
    const [only, second] = alternatives;
    if (only !== undefined && second === undefined) return this.sequence(only.elements, from);
    const end = this.#nfa.addNode();
    for (const alternative of alternatives)
      this.#nfa.addEpsilon(this.sequence(alternative.elements, from), end);
    return end;
  }

  /** @returns the node after the elements */
  sequence(elements: readonly AST.Element[], from: number): number {
    return elements.reduce((node, element) => this.#element(element, node), from);
  }

  #element(element: AST.Element, from: number): number {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass": {
        const end = this.#nfa.addNode();
        this.#nfa.addTransition(from, characterSet(element), end);
        return end;
      }
      case "Group":
        if (element.modifiers !== null) throw new RangeError("flags inside a group");
        return this.alternatives(element.alternatives, from);
      case "CapturingGroup":
        return this.alternatives(element.alternatives, from);
      case "Quantifier":
        return this.#quantifier(element, from);
      case "Assertion":
        return this.#assertion(element, from);
      case "Backreference":
        return this.#backreference(element, from);
      case "ExpressionCharacterClass":
        throw new RangeError("a class of the flag v");
    }
  }

  #quantifier({ element, min, max }: AST.Quantifier, from: number): number {
    let node = from;
    for (let i = 0; i < min; i++) {
      const before = node;
      node = this.#element(element, before);
      // An element that matches only the empty text can be repeated any number of times.
      if (node === before) break;
    }
    const end = this.#nfa.addNode();
    if (max === Infinity) {
      const loop = this.#nfa.addNode();
      this.#nfa.addEpsilon(node, loop);
      this.#nfa.addEpsilon(this.#element(element, loop), loop);
      this.#nfa.addEpsilon(loop, end);
      return end;
    }
    for (let i = min; i < max; i++) {
      this.#nfa.addEpsilon(node, end);
      const before = node;
      node = this.#element(element, before);
      if (node === before) break;
    }
    this.#nfa.addEpsilon(node, end);
    return end;
  }

  #assertion(assertion: AST.Assertion, from: number): number {
    const end = this.#nfa.addNode();
    switch (assertion.kind) {
      case "start":
      case "end":
        this.#nfa.addEpsilon(from, end, assertion.kind);
        return end;
      case "word":
        this.#nfa.addEpsilon(from, end, assertion.negate ? "noWordBoundary" : "wordBoundary");
        return end;
      default:
        this.exact = false;
        this.#nfa.addEpsilon(from, end);
        return end;
    }
  }

  /** Matches what the group can match, or nothing if the group did not participate. */
  #backreference({ resolved }: AST.Backreference, from: number): number {
    this.exact = false;
    const end = this.#nfa.addNode();
    this.#nfa.addEpsilon(from, end);
    for (const group of [resolved].flat()) {
      const inside = hasElement(group, (part) => part.type === "Backreference");
      const behind = inside ? this.#anything(from) : this.alternatives(group.alternatives, from);
      this.#nfa.addEpsilon(behind, end);
    }
    return end;
  }

  #anything(from: number): number {
    const loop = this.#nfa.addNode();
    this.#nfa.addEpsilon(from, loop);
    this.#nfa.addTransition(loop, everyCodePoint, loop);
    return loop;
  }
}

/** Returns whether an element of these alternatives satisfies the condition. */
export function hasElement(
  { alternatives }: { readonly alternatives: readonly AST.Alternative[] },
  matches: (element: AST.Element) => boolean,
): boolean {
  return alternatives.some(({ elements }) => elements.some((element) => containsElement(element, matches)));
}

function containsElement(element: AST.Element, isIt: (element: AST.Element) => boolean): boolean {
  if (isIt(element)) return true;
  if (element.type === "Quantifier") return containsElement(element.element, isIt);
  return "alternatives" in element && hasElement(element, isIt);
}

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
function characterSet(element: AST.Character | AST.CharacterSet | AST.CharacterClass): Ranges {
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
