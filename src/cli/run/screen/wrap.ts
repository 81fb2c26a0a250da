/** Breaks lines of a growing text between words. */
import type { TextOut } from "../../terminal.js";
import { measureCharacter, measureText } from "../../text-width.js";

/** A character between which and its neighbours a line may break: each of the scripts that are written without blanks. */
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;
/** No line begins with these. */
const closing = /^[\p{Pe}\p{Pf}、。，．！？：；ー々]$/u;
const tabColumns = 8;

/**
 * Writes text at once, and moves the word at the end of a line to the next line when it does not fit. Words that are longer than a line are
 * cut. The last column stays empty: terminals differ in where the cursor is behind it.
 */
export class WordWrap {
  private column = 0;
  /** What was written since the line could break. */
  private word = "";

  constructor(private readonly out: TextOut) {}

  write(text: string): void {
    for (const character of text) this.put(character);
  }

  private put(character: string): void {
    if (character === "\n") return this.breakLine(character);
    if (character === "\r") return;
    const shown = character === "\t" ? " ".repeat(tabColumns - (this.column % tabColumns)) : character;
    const columns = shown.length > 1 ? measureText(shown) : measureCharacter(shown);
    const isBlank = character === " " || character === "\t";
    if (this.column + columns > this.columnsMax()) {
      // A blank at the end of a line is not shown on the next one.
      if (isBlank) return this.breakLine("\n");
      this.moveWord(character);
    }
    if (isBlank || (ideograph.test(character) && !closing.test(character))) this.word = "";
    if (!isBlank) this.word += shown;
    this.out.write(shown);
    this.column += columns;
  }

  /** Begins a line with the word, if it stands behind another one. */
  private moveWord(next: string): void {
    const mayBreakHere = ideograph.test(next) && !closing.test(next);
    const columns = mayBreakHere ? 0 : measureText(this.word);
    if (columns === 0 || columns >= this.column) return this.breakLine("\n");
    const { word } = this;
    this.out.control?.(`\u001b[${columns}D\u001b[K`);
    this.breakLine("\n");
    this.out.write(word);
    this.column = columns;
    this.word = word;
  }

  private breakLine(end: string): void {
    this.out.write(end);
    this.column = 0;
    this.word = "";
  }

  private columnsMax(): number {
    return Math.max(2, (this.out.columns ?? 80) - 1);
  }
}
