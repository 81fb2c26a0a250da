/** Characters that would move a terminal's cursor, start a new line or change the text direction. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Formats a table with a header line and three spaces between columns. Unprintable characters are replaced. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map((cell) => cell.replaceAll(unprintable, "\ufffd")));
  const widths = header.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, width(line[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - width(cell));
  return lines.map((line) => `${line.map(pad).join("   ").trimEnd()}\n`).join("");
}

/** Formats a JSON value as `--json` prints it. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function width(cell: string): number {
  return [...cell].length;
}
