/** Finds the parts of a call in a text that a template has written. */
import { keyPlace, type CallBody } from "../tools/syntax.js";
import type { ProbeCall } from "./probes.js";

/** A body, and where it begins and ends in the text. */
export interface FoundBody {
  readonly body: CallBody;
  readonly start: number;
  readonly end: number;
  /** What is written between name and arguments, where both are bare. */
  readonly middle?: string;
}

/** The texts around the keys and values of a call with a string, a number and a string. */
interface WrittenArguments {
  readonly start: number;
  /** Between the name and the first key. */
  readonly head: string;
  /** Between a key and its value. */
  readonly beforeString: string;
  readonly beforeNumber: string;
  /** Between a value and the next key; the value's own key is replaced by `keyPlace`. */
  readonly afterString: string;
  readonly afterNumber: string;
  /** Where the last value ends. */
  readonly end: number;
}

/** Returns null where not all keys and values are written in their order. */
export function argumentTexts(
  text: string,
  call: ProbeCall,
  from: number,
  to: number,
): WrittenArguments | null {
  const start = text.indexOf(call.name, from);
  const words = Object.entries(call.arguments).flatMap(([key, value]) => [key, String(value)]);
  const gaps: string[] = [];
  let at = start + call.name.length;
  if (start < 0 || words.length !== 6) return null;
  for (const word of words) {
    const next = text.indexOf(word, at);
    if (next < 0 || next >= to) return null;
    gaps.push(text.slice(at, next));
    at = next + word.length;
  }
  const [head = "", beforeString = "", afterString = "", beforeNumber = "", afterNumber = ""] = gaps;
  if (gaps[5] !== beforeString) return null;
  const [first = "", , second = ""] = words;
  return {
    start,
    head,
    beforeString,
    beforeNumber,
    afterString: afterString.replaceAll(first, keyPlace),
    afterNumber: afterNumber.replaceAll(second, keyPlace),
    end: at,
  };
}
