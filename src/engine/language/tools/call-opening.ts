/** Detects the beginning of a call in an answer, so that a grammar can constrain the rest of the call. */
import { fixedPieces, openingPieces, type CallSyntax } from "./syntax.js";

/** Maximum length of an opening, including its white space. */
const startLengthMax = 256;

export type CallOpeningDetector = ReturnType<typeof createCallOpeningDetector>;

/** What begins a call within an answer. */
interface Opening {
  /** A call does not begin without it. */
  readonly first: string;
  /** Returns whether a text that begins with `first`, or may still, begins a call; null while undecided. */
  readonly begins: (text: string) => boolean | null;
}

/**
 * Creates a detector of the opening of any of these syntaxes, which is all that is written before a name. It detects one opening only.
 */
export function createCallOpeningDetector(syntaxes: readonly CallSyntax[]) {
  const whole = syntaxes.filter((syntax) => syntax.wholeAnswer === true);
  const promptEnds = syntaxes.flatMap(({ promptEnd }) => promptEnd ?? []);
  const openings: readonly Opening[] = [
    ...syntaxes
      .filter((syntax) => syntax.wholeAnswer !== true && syntax.promptEnd === undefined)
      .map(markedOpening),
    ...promptEnds.map(promptEndOpening),
  ];
  let held = promptEnds[0] ?? "";
  let atStart = whole.length > 0;
  let done = false;
  return {
    /**
     * Reads the next piece of the answer.
     * @returns once, when a call begins: the answer from the beginning of the call, which may be longer than the opening; else null
     */
    push(text: string): string | null {
      if (done) return null;
      held += text;
      if (atStart) {
        held = held.trimStart();
        const met = whole.map((syntax) => (held.length > startLengthMax ? false : isCall(held, syntax)));
        done = met.includes(true);
        if (done) return held;
        if (met.includes(null)) return null;
        atStart = false;
      }
      const { at, begins } = findFirst(held, openings);
      done = begins;
      held = held.slice(at);
      return done ? held : null;
    },
  };
}

function markedOpening(syntax: CallSyntax): Opening {
  const pieces = fixedPieces(syntax);
  return {
    first: pieces[0] ?? "",
    begins(text) {
      const rest = afterPieces(text, pieces);
      return typeof rest === "string" ? true : text.length > startLengthMax ? false : rest;
    },
  };
}

/** A mark that texts may have, too, so that a name and the end of its line must follow. */
function promptEndOpening(mark: string): Opening {
  const pattern = /^[\p{L}\p{N}_.-]{1,64}\n/u;
  return {
    first: mark,
    begins(text) {
      const rest = text.slice(mark.length);
      return pattern.test(rest) ? true : /^[\p{L}\p{N}_.-]{0,64}$/u.test(rest) ? null : false;
    },
  };
}

/** Returns whether an answer begins with a call of this syntax; null while undecided. */
function isCall(answer: string, syntax: CallSyntax): boolean | null {
  const rest = afterPieces(answer, openingPieces(syntax));
  const { body } = syntax;
  if (typeof rest !== "string" || body.type !== "notation") return typeof rest === "string" ? true : rest;
  // A bracket alone begins many answers, so the name and the next bracket must follow.
  const [name = ""] = /^\s*[\p{L}\p{N}_.-]*/u.exec(rest) ?? [];
  if (name.length === rest.length) return null;
  return name.trim() !== "" && rest.startsWith(body.open, name.length);
}

/** Returns the text after these pieces, with any white space before each; false where another text begins, null while undecided. */
function afterPieces(text: string, pieces: readonly string[]): string | false | null {
  let rest = text;
  for (const piece of pieces) {
    rest = rest.trimStart();
    if (!rest.startsWith(piece)) return piece.startsWith(rest) ? null : false;
    rest = rest.slice(piece.length);
  }
  return rest;
}

interface FoundOpening {
  /** Where a call begins, or may begin; the end of the text where it has none. */
  readonly at: number;
  readonly begins: boolean;
}

function findFirst(text: string, openings: readonly Opening[]): FoundOpening {
  const longest = Math.max(0, ...openings.map(({ first }) => first.length));
  for (let at = 0; at < text.length; at += 1) {
    // Most places are no opening.
    const rest = text.slice(at, at + longest);
    const candidates = openings.filter(({ first }) => rest.startsWith(first) || first.startsWith(rest));
    if (candidates.length === 0) continue;
    const met = candidates.map(({ begins }) => begins(text.slice(at)));
    if (met.includes(true)) return { at, begins: true };
    if (met.includes(null)) return { at, begins: false };
  }
  return { at: text.length, begins: false };
}
