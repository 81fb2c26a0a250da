/**
 * Scans JSON by characters: finds where a value ends and whether it is valid (strictly RFC 8259). Builds no values, and uses an explicit
 * stack, so that deep nesting cannot overflow the call stack.
 */
import { isJsonSpace, peek, skipSpace, type Reading, type AnswerSource } from "./source.js";

const nestingMax = 512;
const quote = 0x22;
const literals: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };

/** Reads one value. @returns false at the first invalid character, which is not consumed, or at the end of the text. */
export function* readJsonValue(source: AnswerSource): Reading<boolean> {
  const closers: number[] = [];
  for (;;) {
    yield* skipSpace(source);
    const code = yield* peek(source);
    if (code === 0x7b || code === 0x5b) {
      if (closers.length === nestingMax) return false;
      source.at += 1;
      closers.push(code + 2);
      yield* skipSpace(source);
      if ((yield* peek(source)) !== code + 2) {
        if (code === 0x7b && !(yield* jsonKey(source))) return false;
        continue;
      }
    } else if (!(yield* jsonScalar(source, code))) return false;
    const more = yield* afterValue(source, closers);
    if (more !== "more") return more === "done";
  }
}

/** Reads a string including its quotes. */
export function* readJsonString(source: AnswerSource): Reading<boolean> {
  if ((yield* peek(source)) !== quote) return false;
  source.at += 1;
  for (;;) {
    const code = source.code();
    if (code === -1) {
      if ((yield* peek(source)) === -1) return false;
    } else if (code === quote) {
      source.at += 1;
      return true;
    } else if (code === 0x5c) {
      if (!(yield* escape(source))) return false;
    } else if (code < 0x20) return false;
    else source.at += 1;
  }
}

/** Reads a key and its colon. */
function* jsonKey(source: AnswerSource): Reading<boolean> {
  yield* skipSpace(source);
  if (!(yield* readJsonString(source))) return false;
  return yield* readJsonColon(source);
}

export function* readJsonColon(source: AnswerSource): Reading<boolean> {
  yield* skipSpace(source);
  if ((yield* peek(source)) !== 0x3a) return false;
  source.at += 1;
  return true;
}

/** Closes the arrays and objects that end after a value. @returns `more` when another value follows. */
function* afterValue(source: AnswerSource, closers: number[]): Reading<"more" | "done" | "broken"> {
  for (;;) {
    const closer = closers.at(-1);
    if (closer === undefined) return "done";
    yield* skipSpace(source);
    const code = yield* peek(source);
    if (code === closer) {
      source.at += 1;
      closers.pop();
      continue;
    }
    if (code !== 0x2c) return "broken";
    source.at += 1;
    if (closer === 0x7d && !(yield* jsonKey(source))) return "broken";
    return "more";
  }
}

function* escape(source: AnswerSource): Reading<boolean> {
  source.at += 1;
  const code = yield* peek(source);
  if (code === 0x75) {
    source.at += 1;
    for (let digit = 0; digit < 4; digit++) {
      if (!isHex(yield* peek(source))) return false;
      source.at += 1;
    }
    return true;
  }
  if (code === -1 || !'"\\/bfnrt'.includes(String.fromCharCode(code))) return false;
  source.at += 1;
  return true;
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function* jsonScalar(source: AnswerSource, code: number): Reading<boolean> {
  if (code === quote) return yield* readJsonString(source);
  const word = code === -1 ? undefined : literals[String.fromCharCode(code)];
  if (word === undefined) return yield* jsonNumber(source);
  for (const letter of word) {
    if ((yield* peek(source)) !== letter.charCodeAt(0)) return false;
    source.at += 1;
  }
  return true;
}

/** State machine of a number: from a state, the class of the next character to the next state. */
const numberStates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  start: { "-": "minus", "0": "zero", d: "whole" },
  minus: { "0": "zero", d: "whole" },
  zero: { ".": "point", e: "e" },
  whole: { "0": "whole", d: "whole", ".": "point", e: "e" },
  point: { "0": "fraction", d: "fraction" },
  fraction: { "0": "fraction", d: "fraction", e: "e" },
  e: { "-": "sign", "+": "sign", "0": "exponent", d: "exponent" },
  sign: { "0": "exponent", d: "exponent" },
  exponent: { "0": "exponent", d: "exponent" },
};
const numberEnds: ReadonlySet<string> = new Set(["zero", "whole", "fraction", "exponent"]);

function* jsonNumber(source: AnswerSource): Reading<boolean> {
  let state = "start";
  for (;;) {
    const next = numberStates[state]?.[characterClass(yield* peek(source))];
    if (next === undefined) return numberEnds.has(state);
    state = next;
    source.at += 1;
  }
}

function characterClass(code: number): string {
  if (code >= 0x31 && code <= 0x39) return "d";
  if (code === 0x45 || code === 0x65) return "e";
  return code === -1 || isJsonSpace(code) ? "" : String.fromCharCode(code);
}
