/** Formats a table as CSV according to RFC 4180: lines end with CR LF, cells are quoted where any spreadsheet would split them. */
export function formatCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(quoteCell).join(",")}\r\n`).join("");
}

/** What begins a formula, full-width and small forms included, as spreadsheets of some languages read them. */
const sign = /[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/u;
/** Where some spreadsheet begins another cell: by its language the separator is a comma or a semicolon, and an import can ask for others. */
const separator = /[,;|\t\r\n]/;
/** What spreadsheets skip before a formula. */
const skipped = /[\s\p{Cc}\p{Cf}"]/u;

/**
 * Escapes text from users so that a spreadsheet does not evaluate it: an apostrophe marks a cell as text instead of a formula. It is put
 * before each part that a spreadsheet could take for a cell and that begins like a formula. Numbers are no text: those that are negative need none.
 */
export function textCell(text: string): string {
  let cell = /^[\t\r\n]/.test(text) ? "'" : "";
  let copied = 0;
  /** Where the part begins of which nothing but skipped characters was read; null: it has begun with something else. */
  let start: number | null = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (separator.test(character)) start = at + 1;
    else if (start !== null && !skipped.test(character)) {
      if (sign.test(character)) {
        cell += `${text.slice(copied, start)}'`;
        copied = start;
      }
      start = null;
    }
  }
  return cell + text.slice(copied);
}

/** Returns JSON in which nothing begins a formula after any separator. It has the same value. */
export function jsonCell(value: object): string {
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (literal) => literal.replace(risky, escapeUnit));
}

const risky = /;|(?<![\p{L}\p{N}])[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/gu;

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function quoteCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
