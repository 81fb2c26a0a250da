/** Files of comma-separated values, made in the browser. */

import { csvText } from "./csv-text.js";
import { saveFile } from "./save-file.js";

/** Downloads rows as a file. @param rows the first has the names of the columns */
export function downloadCsv(name: string, rows: readonly (readonly string[])[]): void {
  saveFile(name, new Blob([csvText(rows)], { type: "text/csv" }));
}
