/** What a fuzz target is. Each is a module in targets/ that exports one as `target`. */

export interface FuzzTarget {
  /** What holds for every input. */
  readonly guarantee: string;
  /** How inputs are changed: as bytes, as words of a text, or as values of a JSON document. */
  readonly format: "bytes" | "text" | "json";
  /** Matches the parts of a text, each of which is also changed as a whole; together they are the text. */
  readonly parts?: RegExp;
  /** The longest input, in bytes. */
  readonly bytesMax: number;
  /** The milliseconds of CPU time that one input may take. */
  readonly msMax: number;
  /** Folder in test/fuzz/corpus/ with inputs to begin with. */
  readonly corpus: string;
  /** Inputs to begin with that are made rather than kept. */
  seeds?(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Words that the code does not have as literals. */
  readonly words?: readonly string[];
  /**
   * Checks one input.
   * @returns a label of the outcome, without anything of the input: a label that is new counts as something new
   * @throws Violation, or anything else, when the guarantee does not hold
   */
  run(input: Uint8Array): string | Promise<string>;
  /** Checks that take too long for every input: they run on those that do something new. */
  inspect?(input: Uint8Array): void | Promise<void>;
}

/** Returns a message without the numbers and quoted texts in it, as a label of an outcome. */
export function toLabel(message: string): string {
  return message
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "'...'")
    .replace(/[0-9][0-9,.]*/g, "0")
    .slice(0, 120);
}
