/** A table as RFC 4180 has it: commas, lines that end with CR LF, quotes around what needs them. */
export function formatCsv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ...rows].map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}

/**
 * What somebody else has written, as a cell that a spreadsheet shows and does not work out: those take a cell for a formula by
 * its first character, and an apostrophe before it for the sign of text.
 */
export function textCell(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
