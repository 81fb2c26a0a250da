/** The text of files of comma-separated values. */

/** Formats rows as the server does in its exports: no part of a text is a formula for any spreadsheet. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(",")}\r\n`).join("");
}

/** Beginnings of formulas, at the start and after any separator, with what spreadsheets skip before them. */
const formula =
  /(?<=^|[,;|\t\r\n])(?=(?:(?![,;|\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])/gu;

/** Quotes a cell. What spreadsheets would take for a formula begins with an apostrophe. */
function formatCell(text: string): string {
  const safe = text.replace(/^(?=[\t\r\n])/, "'").replace(formula, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
