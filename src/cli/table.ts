/** Columns of text under their heads, three spaces between them, as every listing prints them. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ""))));
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
