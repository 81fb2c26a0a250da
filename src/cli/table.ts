/** What would move a terminal's cursor, begin a line of its own or turn the order of what follows. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Columns of text under their heads, three spaces between them, as every listing prints them. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((line) => line.map((cell) => cell.replaceAll(unprintable, "\ufffd")));
  const widths = head.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, width(line[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - width(cell));
  return lines.map((line) => `${line.map(pad).join("   ").trimEnd()}\n`).join("");
}

/** One JSON value, as `--json` prints it. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function width(cell: string): number {
  return [...cell].length;
}
