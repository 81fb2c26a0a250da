/** Formats a table as CSV according to RFC 4180: lines end with CR LF, cells are quoteCell if needed. */
export function formatCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(quoteCell).join(",")}\r\n`).join("");
}

/**
 * Escapes text from users so that a spreadsheet does not evaluate it: an apostrophe before the first character marks the cell
 * as text instead of a formula.
 */
export function textCell(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
