/** Joins lines of one message: a block between `"""`, or a paste. Pure. */

const mark = '"""';

/** A message, or a command if it is not quoted. */
export interface TypedText {
  readonly text: string;
  /** Whether it was between marks, or has several lines that were pasted: it is no command then. */
  readonly isQuoted: boolean;
}

export class TextBlock {
  private readonly lines: string[] = [];
  private isInMarks = false;
  private hadMarks = false;

  /** Whether more lines belong to it. */
  get isOpen(): boolean {
    return this.lines.length > 0 || this.isInMarks;
  }

  /** Adds a line. @param isPasted whether more lines of a paste follow @returns the whole, or null where more lines belong to it */
  add(line: string, isPasted: boolean): TypedText | null {
    const text = this.isOpen ? line : this.begin(line);
    if (this.isInMarks && text.trimEnd().endsWith(mark)) {
      this.isInMarks = false;
      this.lines.push(text.trimEnd().slice(0, -mark.length));
      return this.end();
    }
    this.lines.push(text);
    return this.isInMarks || isPasted ? null : this.end();
  }

  /** Returns the first line without the mark that it begins with, or that its text of a system message begins with. */
  private begin(line: string): string {
    const command = /^\s*\/set\s+system\s+(?=""")/.exec(line)?.[0] ?? "";
    if (!line.startsWith(mark, command.length)) return line;
    this.isInMarks = true;
    this.hadMarks = command === "";
    return command + line.slice(command.length + mark.length);
  }

  private end(): TypedText {
    const text = this.lines.join("\n").trim();
    const isPaste = text.includes("\n") && !text.startsWith("/set ");
    return { text, isQuoted: this.hadMarks || isPaste };
  }
}
