/** One measured figure beside what it should reach. */
export interface Row {
  readonly figure: string;
  readonly value: string;
  /** What the figure should reach; empty where it only informs. */
  readonly reach: string;
}

/** The value below which `share` (0 to 1) of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median, with the least and the most in brackets. */
export function spread(samples: readonly number[], digits: number, unit: string): string {
  const show = (share: number): string => quantile(samples, share).toFixed(digits);
  return `${show(0.5)} ${unit} (${show(0)} to ${show(1)})`;
}

/** Prints rows in aligned columns. */
export function printTable(rows: readonly Row[]): void {
  const figures = Math.max(...rows.map((row) => row.figure.length));
  const values = Math.max(...rows.map((row) => row.value.length));
  for (const row of rows)
    process.stdout.write(`  ${row.figure.padEnd(figures)}  ${row.value.padEnd(values)}  ${row.reach}\n`);
}
