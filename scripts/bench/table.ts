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

/** Widths that suit most tables, so that one printed in parts looks like one. */
const figureWidth = 48;
const valueWidth = 30;

/** Prints rows in aligned columns. */
export function printTable(rows: readonly Row[]): void {
  const figures = Math.max(figureWidth, ...rows.map((row) => row.figure.length));
  const values = Math.max(valueWidth, ...rows.map((row) => row.value.length));
  for (const row of rows)
    process.stdout.write(`  ${row.figure.padEnd(figures)}  ${row.value.padEnd(values)}  ${row.reach}\n`);
}

/** Least-squares slope of samples taken at equal distances, in units of a sample per distance. */
export function slope(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const rise = samples.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const run = samples.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return rise / run;
}
