/** Watches an answer for the beginning of a call, so that a grammar can take over from there. */
import { openingOf, type CallSyntax } from "./syntax.js";

/** No opening is longer, its white space included. */
const startLengthMax = 64;

export interface OpeningWatch {
  /**
   * Takes the next piece of the answer.
   * @returns once a call begins, and only then: the answer from there on, which may hold more than the opening
   */
  push(text: string): string | null;
}

/** Watches for the opening of any of these. After it has told of one, it looks no further. */
export function createOpeningWatch(syntaxes: readonly CallSyntax[]): OpeningWatch {
  const inline = syntaxes
    .filter((syntax) => syntax.wholeAnswer !== true)
    .map((syntax) => openingOf(syntax)[0] ?? "");
  const whole = syntaxes.filter((syntax) => syntax.wholeAnswer === true).map(openingOf);
  const longest = Math.max(0, ...inline.map((text) => text.length - 1));
  let held = "";
  let atStart = whole.length > 0;
  let done = false;
  return {
    push(text) {
      if (done) return null;
      held += text;
      if (atStart) {
        held = held.trimStart();
        const met = whole.map((start) => (held.length > startLengthMax ? false : beginsWith(held, start)));
        done = met.includes(true);
        if (done) return held;
        if (met.includes(null)) return null;
        atStart = false;
      }
      const at = firstOf(held, inline);
      done = at >= 0;
      if (done) return held.slice(at);
      held = held.slice(Math.max(0, held.length - longest));
      return null;
    },
  };
}

/** Whether `text` begins with these pieces, any white space before each; null while it still may. */
function beginsWith(text: string, pieces: readonly string[]): boolean | null {
  let rest = text;
  for (const piece of pieces) {
    rest = rest.trimStart();
    if (!rest.startsWith(piece)) return piece.startsWith(rest) ? null : false;
    rest = rest.slice(piece.length);
  }
  return true;
}

function firstOf(text: string, openings: readonly string[]): number {
  const found = openings.map((opening) => text.indexOf(opening)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}
