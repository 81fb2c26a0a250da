/** Rows of exports, and their text as CSV or as JSON lines. */
import { ticksToUsd } from "../money.js";
import { formatCsv, jsonCell, textCell } from "./csv.js";

/** What an export holds: text, a number, an amount in ticks, or an object. */
type Cell = string | number | bigint | object | null;

/** A row by the names of its columns, in their order. The name of an amount ends in `_usd`. */
export type ExportRow = Readonly<Record<string, Cell>>;

export const exportKinds = ["usage", "ledger", "audit"] as const;

export type ExportKind = (typeof exportKinds)[number];

export const exportFormats = ["jsonl", "csv"] as const;

export type ExportFormat = (typeof exportFormats)[number];

/**
 * Formats pages of rows; a page is one text. Amounts are exact, in USD. In CSV, text that a spreadsheet would take for a formula gets an
 * apostrophe before it; in JSON, names are in camelCase.
 * @param columns the header of CSV, which is there without rows, too.
 */
export async function* formatRows(
  format: ExportFormat,
  columns: readonly string[],
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  if (format === "csv") yield formatCsv(columns, []);
  for await (const rows of pages) {
    if (format === "jsonl") yield rows.map((row) => `${JSON.stringify(toJson(row))}\n`).join("");
    else yield formatCsvLines(rows.map((row) => columns.map((name) => csvCell(row[name] ?? null))));
  }
}

function formatCsvLines([first, ...rest]: readonly (readonly string[])[]): string {
  return first === undefined ? "" : formatCsv(first, rest);
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return textCell(cell);
  if (typeof cell === "bigint") return ticksToUsd(cell);
  return typeof cell === "number" ? String(cell) : jsonCell(cell);
}

function toJson(row: ExportRow): object {
  const fields = Object.entries(row).map(([name, cell]) => [
    toJsonName(name),
    typeof cell === "bigint" ? ticksToUsd(cell) : cell,
  ]);
  return Object.fromEntries(fields) as object;
}

/** The names of the columns of all exports, in camelCase. */
const jsonNames = new Map<string, string>();

function toJsonName(column: string): string {
  const known = jsonNames.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  jsonNames.set(column, name);
  return name;
}
