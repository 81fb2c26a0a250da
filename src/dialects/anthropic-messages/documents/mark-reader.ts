/** Finds the marks of citations in the text of an answer while it is generated. Pure. */

/** A piece of an answer: its text, or a mark. */
export interface AnswerPiece {
  readonly type: "text" | "mark";
  readonly text: string;
}

const mark = /\s*\[\[\s*\d{1,6}:\d{1,6}(?:-\d{1,6})?(?:\s*[,;]\s*\d{1,6}:\d{1,6}(?:-\d{1,6})?)*\s*\]\]/;
/** The end of a text that may become a mark; white space before a mark is no part of the text. */
const beginning = /(?:\s*\[\[[\d:,;\s-]*\]?|\s*\[|\s+)$/;
/** A text that looks like a mark for longer than this is none. */
const markCharsMax = 200;

export class MarkReader {
  #held = "";

  /** Adds a part of the answer, and returns the pieces that are known by now. */
  add(text: string): readonly AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    let rest = this.#held + text;
    for (let found = mark.exec(rest); found !== null; found = mark.exec(rest)) {
      pushText(pieces, rest.slice(0, found.index));
      pieces.push({ type: "mark", text: found[0] });
      rest = rest.slice(found.index + found[0].length);
    }
    const tail = rest.slice(-markCharsMax);
    const held = beginning.exec(tail)?.[0] ?? "";
    pushText(pieces, rest.slice(0, rest.length - held.length));
    this.#held = held;
    return pieces;
  }

  /** Returns the text that was held back, at the end of a text. */
  end(): readonly AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    pushText(pieces, this.#held);
    this.#held = "";
    return pieces;
  }
}

function pushText(pieces: AnswerPiece[], text: string): void {
  if (text !== "") pieces.push({ type: "text", text });
}
