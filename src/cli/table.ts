import { printable, type TextOut } from "./terminal.js";
import { measureCharacter, measureText } from "./text-width.js";

/** What would begin another line or column, and halves of characters. */
const misplaced = /[\t\r\n\p{Cs}]/gu;
/** Control characters that JSON does not escape, and those that change the direction of text. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const gap = "   ";
/** Characters of an id that are always shown: a UUID has the time in milliseconds there. */
export const idCharsMin = 13;

/** A column of a table, and what becomes of it where the table does not fit. */
export interface TableColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => string;
  /**
   * `number`: aligned to the right. `id`: may be shortened to a beginning that no other row has, which commands accept. `time`: RFC 3339 in
   * UTC, may be shortened to the minute.
   */
  readonly kind?: "number" | "id" | "time";
  /** The column may be left out; of several, the lowest number is left out first. Absent: never. */
  readonly leftOut?: number;
  /** The columns of the terminal to which cells may be shortened; absent: never. */
  readonly charsMin?: number;
}

interface Laid {
  readonly column: TableColumn<never>;
  readonly cells: readonly string[];
  /** Columns of the terminal that the widest cell takes, title included. */
  readonly width: number;
}

/**
 * Formats a table with a header line and three spaces between columns. Unprintable characters are replaced. Where it is too wide, ids and
 * times are shortened first; then columns are left out, as few as it takes; then texts are shortened.
 * @param columns of the terminal; null: any number
 */
export function formatTable<Item>(
  columns: readonly TableColumn<Item>[],
  items: readonly Item[],
  width: number | null = null,
): string {
  const all = columns.map((column) =>
    lay(column, [column.title, ...items.map((item) => column.cell(item))].map(clean)),
  );
  const shown = width === null ? all : fit(all, width);
  const lines = Array.from({ length: items.length + 1 }, (_, row) =>
    shown
      .map(({ cells, column: { kind }, width: cellWidth }) => {
        const cell = cells[row] ?? "";
        const space = " ".repeat(Math.max(0, cellWidth - measureText(cell)));
        return kind === "number" ? space + cell : cell + space;
      })
      .join(gap)
      .trimEnd(),
  );
  const hidden = all.filter(({ column }) => !shown.some((each) => each.column === column));
  const titles = hidden.map(({ column }) => column.title).join(", ");
  const note = hidden.length === 0 ? [] : [`(--wide shows also ${titles})`];
  return [...lines, ...note].map((line) => `${line}\n`).join("");
}

/** Returns the width that a table may have on an output; null where it is no terminal, or what is asked for is the full width. */
export function tableWidth(out: TextOut, wide: boolean): number | null {
  return out.isTTY === true && !wide ? (out.columns ?? 80) : null;
}

/** Formats a JSON value as `--json` prints it: what a terminal would obey is escaped. */
export function formatJson(value: unknown): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value, null, 2).replaceAll(unescaped, escape)}\n`;
}

function fit(all: readonly Laid[], width: number): readonly Laid[] {
  if (sum(all) <= width) return all;
  let shown = all.map(shortenKind);
  for (const { column } of all.filter(isOptional).toSorted(byOrder)) {
    if (sum(shown, leastWidth) <= width) break;
    shown = shown.filter((each) => each.column !== column);
  }
  return shortenTexts(shown, width);
}

function isOptional({ column }: Laid): boolean {
  return column.leftOut !== undefined;
}

function byOrder(a: Laid, b: Laid): number {
  return (a.column.leftOut ?? 0) - (b.column.leftOut ?? 0);
}

/** A time with its seconds. */
const seconds = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):[\d.]+Z$/;

/** Ids that were drawn, as opposed to names that stand in their place. */
const opaque = /[0-9a-f]{8}/;

/** Returns the column with what its kind says in fewer characters. */
function shortenKind(laid: Laid): Laid {
  if (laid.column.kind === "time")
    return lay(
      laid.column,
      laid.cells.map((cell) => cell.replace(seconds, "$1Z")),
    );
  return laid.column.kind === "id" ? shortenIds(laid) : laid;
}

/** Returns the column with the beginnings of ids that distinguish its rows. */
function shortenIds(laid: Laid): Laid {
  const [title = "", ...ids] = laid.cells;
  const sorted = [...new Set(ids.filter((id) => opaque.test(id)))].toSorted();
  const needed = sorted.map((id, at) => commonLength(id, sorted[at + 1] ?? "") + 1);
  const chars = needed.reduce((most, each) => Math.max(most, each), idCharsMin);
  return lay(laid.column, [title, ...ids.map((id) => (opaque.test(id) ? id.slice(0, chars) : id))]);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Shortens the widest texts until the table fits. */
function shortenTexts(all: readonly Laid[], width: number): readonly Laid[] {
  const widths = all.map((laid) => laid.width);
  for (let over = sum(all) - width; over > 0; over -= 1) {
    const [widest] = all
      .map((laid, at) => ({ at, room: (widths[at] ?? 0) - leastWidth(laid), chars: widths[at] ?? 0 }))
      .filter(({ room }) => room > 0)
      .toSorted((a, b) => b.chars - a.chars);
    if (widest === undefined) break;
    widths[widest.at] = widest.chars - 1;
  }
  return all.map((laid, at) => {
    const most = widths[at] ?? 0;
    return most === laid.width
      ? laid
      : lay(
          laid.column,
          laid.cells.map((cell) => shorten(cell, most)),
        );
  });
}

/** @param columns of the terminal, at least 1 */
function shorten(cell: string, columns: number): string {
  if (measureText(cell) <= columns) return cell;
  let kept = "";
  let left = columns - 1;
  for (const character of cell) {
    left -= measureCharacter(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

function leastWidth({ column: { charsMin, title }, width }: Laid): number {
  return charsMin === undefined ? width : Math.min(width, Math.max(charsMin, measureText(title)));
}

function sum(all: readonly Laid[], width: (laid: Laid) => number = (laid) => laid.width): number {
  return all.reduce((total, laid) => total + width(laid), gap.length * Math.max(0, all.length - 1));
}

function lay(column: TableColumn<never>, cells: readonly string[]): Laid {
  return { column, cells, width: cells.reduce((most, cell) => Math.max(most, measureText(cell)), 0) };
}

function clean(cell: string): string {
  return printable(cell).replaceAll(misplaced, "\ufffd");
}
