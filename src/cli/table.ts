import { printable } from "./terminal.js";

/** What would begin another line or column, and halves of characters. */
const misplaced = /[\t\r\n\p{Cs}]/gu;
/** Control characters that JSON does not escape, and those that change the direction of text. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Formats a table with a header line and three spaces between columns. Unprintable characters are replaced. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) =>
    line.map((cell) => printable(cell).replaceAll(misplaced, "\ufffd")),
  );
  const widths = header.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, width(line[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - width(cell));
  return lines.map((line) => `${line.map(pad).join("   ").trimEnd()}\n`).join("");
}

/** Formats a JSON value as `--json` prints it: what a terminal would obey is escaped. */
export function formatJson(value: unknown): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value, null, 2).replaceAll(unescaped, escape)}\n`;
}

function width(cell: string): number {
  return [...cell].length;
}
