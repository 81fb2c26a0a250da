/**
 * Follows the items of arrays whose items must differ, which a grammar cannot compare. A text is kept without the white space between its
 * values, so that items that differ in it only are equal.
 */
import { parseSchemaText } from "../schema/json-text.js";
import { canonicalText } from "../schema/validate/equality.js";

/** An array whose items must differ. */
interface UniqueArray {
  /** The open brackets of the place where its items begin. */
  readonly depth: number;
  /** The items that have ended, as they are written and in their canonical form. */
  readonly texts: readonly string[];
  readonly canonical: readonly string[];
  /** What is written of the current item, and the earlier items that begin with it. */
  readonly written: string;
  readonly alike: readonly string[];
}

/** A place in a text. */
export interface ItemPlace {
  /** The open brackets, counted from the outermost of these arrays. */
  readonly depth: number;
  readonly inString: boolean;
  readonly isEscaped: boolean;
  /** The arrays that are open, the innermost last. */
  readonly arrays: readonly UniqueArray[];
  /** Whether the last character has ended an item that its array already has. */
  readonly hasRepeated: boolean;
}

/** Arrays with more characters in their items are compared by the validator only. */
const comparedCharactersMax = 200_000;

export const outsideArrays: ItemPlace = {
  depth: 0,
  inString: false,
  isEscaped: false,
  arrays: [],
  hasRepeated: false,
};

/** Reads one more character. @param begins whether it is the bracket of an array whose items must differ */
export function readCharacter(place: ItemPlace, character: string, begins: boolean): ItemPlace {
  if (place.arrays.length === 0 && !begins) return place;
  if (place.inString) return inString(place, character);
  switch (character) {
    case " ":
    case "\n":
    case "\t":
    case "\r":
      return place.hasRepeated ? { ...place, hasRepeated: false } : place;
    case '"':
      return { ...written(place, character), inString: true };
    case "{":
    case "[":
      return opened(written(place, character), begins);
    case "}":
    case "]":
      return closed(place, character);
    case ",":
      return separated(place);
    default:
      return written(place, character);
  }
}

/**
 * Returns the characters that may come next where they lead to an item that its array already has, or to another item. Every other
 * character makes the current items differ.
 */
export function repeatingCharacters({ arrays, depth, inString: inside }: ItemPlace): ReadonlySet<string> {
  const characters = new Set<string>();
  for (const array of arrays) {
    for (const text of array.alike) {
      const point = text.codePointAt(array.written.length);
      if (point !== undefined) characters.add(String.fromCodePoint(point));
    }
    const isAtItem = depth === array.depth && array.written !== "";
    if (inside) {
      if (isAtItem) characters.add('"');
    } else if (isAtItem) {
      characters.add(",");
      if (isRepeated(array)) characters.add("]");
    } else if (depth === array.depth + 1 && array.texts.length > 0)
      for (const bracket of "}]") characters.add(bracket);
    // Such as 1.0 and 1E0, which equal 1.
    if (!inside && depth <= array.depth + 1 && /\d[.eE+-]*$/.test(array.written))
      for (const next of /[.eE][\d+-]*$/.test(array.written) ? "0123456789" : ".eE") characters.add(next);
  }
  return characters;
}

function inString(place: ItemPlace, character: string): ItemPlace {
  const isEscaped = character === "\\" && !place.isEscaped;
  const ends = character === '"' && !place.isEscaped;
  return { ...written(place, character), inString: !ends, isEscaped };
}

function written(place: ItemPlace, character: string): ItemPlace {
  const arrays = place.arrays.map((array) => ({
    ...array,
    written: array.written + character,
    alike: array.alike.filter((text) => text.startsWith(character, array.written.length)),
  }));
  return { ...place, arrays, hasRepeated: false };
}

function opened(place: ItemPlace, begins: boolean): ItemPlace {
  const depth = place.depth + 1;
  if (!begins) return { ...place, depth };
  const array: UniqueArray = { depth, texts: [], canonical: [], written: "", alike: [] };
  return { ...place, depth, arrays: [...place.arrays, array] };
}

function closed(place: ItemPlace, bracket: string): ItemPlace {
  const depth = place.depth - 1;
  const innermost = place.arrays.at(-1);
  if (innermost === undefined || innermost.depth < place.depth) return { ...written(place, bracket), depth };
  const arrays = place.arrays.slice(0, -1);
  const hasRepeated = isRepeated(innermost);
  if (arrays.length === 0) return { ...outsideArrays, hasRepeated };
  return { ...written({ ...place, arrays }, bracket), depth, hasRepeated };
}

/** Reads a comma. */
function separated(place: ItemPlace): ItemPlace {
  const innermost = place.arrays.at(-1);
  if (innermost === undefined || innermost.depth < place.depth) return written(place, ",");
  const outer = written({ ...place, arrays: place.arrays.slice(0, -1) }, ",");
  const texts = [...innermost.texts, innermost.written];
  const next = {
    ...innermost,
    texts,
    canonical: [...innermost.canonical, toCanonical(innermost.written)],
    written: "",
    alike: texts,
  };
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const isCompared = characters <= comparedCharactersMax;
  const arrays = isCompared ? [...outer.arrays, next] : outer.arrays;
  if (arrays.length === 0) return outsideArrays;
  return { ...outer, arrays, hasRepeated: isRepeated(innermost) };
}

/** Returns whether the current item, if it is complete, equals an earlier one. */
function isRepeated({ alike, canonical, texts, written: text }: UniqueArray): boolean {
  if (texts.length === 0 || text === "") return false;
  return alike.includes(text) || canonical.includes(toCanonical(text));
}

/** Returns the text itself where it is not JSON. */
function toCanonical(text: string): string {
  try {
    return canonicalText(parseSchemaText(text));
  } catch {
    return text;
  }
}
