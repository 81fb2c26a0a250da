/** What a terminal shows of the text and the control sequences that programs write to it. */
import { measureCharacter } from "../../src/cli/text-width.js";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A control sequence with a letter at its end, one with a text (OSC, DCS and the like), a short one, or one character. */
const unit =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[(?<parameters>[0-?]*)[ -/]*(?<letter>[@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-Z\\^-~]|(?<character>[^\u001b])/uy;

/** Follows what Linux's terminals do with what Node.js, bash and Hearth write: text, moves of the cursor, and deletions. */
export class Screen {
  /** All lines, with those that have scrolled away; the second half of a wide character is the empty text. */
  private readonly lines: string[][] = [[]];
  private row = 0;
  private column = 0;
  private left = "";

  constructor(private size: Size) {}

  /** Changes the size of what follows; lines keep their breaks. */
  resize(size: Size): void {
    this.size = size;
  }

  write(text: string): void {
    this.left += text;
    let at = 0;
    for (;;) {
      unit.lastIndex = at;
      const match = unit.exec(this.left);
      if (match === null) break;
      at = unit.lastIndex;
      const { character, letter, parameters = "" } = match.groups ?? {};
      if (character !== undefined) this.put(character);
      else if (letter !== undefined) this.obey(letter, parameters);
    }
    this.left = this.left.slice(at);
  }

  /** Returns every line without blanks at its end, the ones that have scrolled away included. */
  all(): readonly string[] {
    return this.lines.map((cells) =>
      Array.from(cells, (cell: string | undefined) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  /** Returns the lines that the screen shows. */
  visible(): readonly string[] {
    return this.all().slice(this.top());
  }

  /** Where the next character goes, from 0; the row counts from the first line of all. */
  cursor(): { readonly row: number; readonly column: number } {
    return { row: this.row, column: this.column };
  }

  private top(): number {
    return Math.max(0, this.lines.length - this.size.rows);
  }

  private put(character: string): void {
    if (character === "\r") this.column = 0;
    else if (character === "\n") this.moveTo(this.row + 1, this.column);
    else if (character === "\b") this.column = Math.max(0, this.column - 1);
    else if (character === "\t") this.column = Math.min(this.size.columns - 1, (this.column | 7) + 1);
    else if (character >= " ") this.show(character);
  }

  private show(character: string): void {
    const width = measureCharacter(character);
    const line = this.line();
    if (width === 0) {
      const at = line[this.column - 1] === "" ? this.column - 2 : this.column - 1;
      if (at >= 0) line[at] = (line[at] ?? " ") + character;
      return;
    }
    // The last column is written before the line breaks.
    if (this.column + width > this.size.columns) {
      this.moveTo(this.row + 1, 0);
      return this.show(character);
    }
    line[this.column] = character;
    if (width === 2) line[this.column + 1] = "";
    this.column += width;
  }

  private line(): string[] {
    for (let row = this.lines.length; row <= this.row; row += 1) this.lines.push([]);
    return this.lines[this.row] ?? [];
  }

  private moveTo(row: number, column: number): void {
    this.row = Math.max(this.top(), row);
    this.column = Math.max(0, Math.min(column, this.size.columns - 1));
    this.line();
  }

  /** Moves inside what is visible. */
  private moveBy(rows: number, columns: number): void {
    const bottom = Math.max(this.lines.length, this.top() + this.size.rows) - 1;
    this.moveTo(Math.min(this.row + rows, bottom), this.column + columns);
  }

  private obey(letter: string, parameters: string): void {
    const numbers = parameters.split(";").map(Number);
    const [first = 0, second = 0] = numbers;
    const count = first || 1;
    if (letter === "A") this.moveBy(-count, 0);
    else if (letter === "B") this.moveBy(count, 0);
    else if (letter === "C") this.moveBy(0, count);
    else if (letter === "D") this.moveBy(0, -count);
    else if (letter === "G") this.moveTo(this.row, count - 1);
    else if (letter === "H" || letter === "f") this.moveTo(this.top() + count - 1, (second || 1) - 1);
    else if (letter === "K") this.eraseInLine(first);
    else if (letter === "J") this.eraseInScreen(first);
    else if (letter === "P") this.line().splice(this.column, count);
    else if (letter === "@") this.line().splice(this.column, 0, ...Array.from({ length: count }, () => " "));
  }

  private eraseInLine(mode: number): void {
    const line = this.line();
    if (mode === 0) line.length = Math.min(line.length, this.column);
    else line.fill(" ", 0, mode === 1 ? this.column + 1 : undefined);
  }

  private eraseInScreen(mode: number): void {
    if (mode === 0) {
      this.eraseInLine(0);
      this.lines.splice(this.row + 1);
    } else if (mode === 2) for (let row = this.top(); row < this.lines.length; row += 1) this.lines[row] = [];
  }
}
