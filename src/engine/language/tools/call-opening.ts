/** Detects the beginning of a call in an answer, so that a grammar can constrain the rest of the call. */
import { openingPieces, type CallSyntax } from "./syntax.js";

/** Maximum length of an opening, including its white space. */
const startLengthMax = 64;

export type CallOpeningDetector = ReturnType<typeof createCallOpeningDetector>;

/** Creates a detector of the opening of any of these syntaxes. It detects one opening only. */
export function createCallOpeningDetector(syntaxes: readonly CallSyntax[]) {
  const inline = syntaxes
    .filter((syntax) => syntax.wholeAnswer !== true && syntax.promptEnd === undefined)
    .map((syntax) => openingPieces(syntax)[0] ?? "");
  const whole = syntaxes.filter((syntax) => syntax.wholeAnswer === true);
  const promptEnds = syntaxes.flatMap(({ promptEnd }) => promptEnd ?? []);
  const longest = Math.max(
    promptEnds.length === 0 ? 0 : startLengthMax,
    ...inline.map((text) => text.length - 1),
  );
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
      const at = findFirst(held, inline, promptEnds);
      done = at >= 0;
      if (done) return held.slice(at);
      held = held.slice(Math.max(0, held.length - longest));
      return null;
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

/** @param promptEnds marks that texts may have, too, so that a name and the end of its line must follow */
function findFirst(text: string, openings: readonly string[], promptEnds: readonly string[]): number {
  const places = [
    ...openings.map((opening) => text.indexOf(opening)),
    ...promptEnds.map((mark) => {
      const pattern = /^[\p{L}\p{N}_.-]{1,64}\n/u;
      let at = text.indexOf(mark);
      while (at >= 0 && !pattern.test(text.slice(at + mark.length))) at = text.indexOf(mark, at + 1);
      return at;
    }),
  ];
  const found = places.filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}
