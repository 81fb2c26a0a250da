/** Files of comma-separated values, made in the browser. */

import { saveFile } from "./save-file.js";

/** Downloads rows as a file. @param rows the first has the names of the columns */
export function downloadCsv(name: string, rows: readonly (readonly string[])[]): void {
  const text = rows.map((row) => row.map(cellOf).join(",")).join("\r\n");
  saveFile(name, new Blob([`${text}\r\n`], { type: "text/csv" }));
}

/** Quotes a cell. One that spreadsheets would take for a formula begins with an apostrophe. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
