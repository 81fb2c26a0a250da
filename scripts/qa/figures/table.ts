/** A measured figure and its target. */
export interface Row {
  readonly figure: string;
  readonly value: string;
  /** The target of the figure; empty if it is only informative. */
  readonly reach: string;
}

/** @param reach the target; absent: the figure is only informative */
export function toRow(figure: string, value: string, reach = ""): Row {
  return { figure, value, reach };
}

/** Returns the duration of an action in milliseconds. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/** Returns the value below which `share` (0 to 1) of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the median, with the minimum and the maximum in parentheses. */
export function spread(samples: readonly number[], digits: number, unit: string): string {
  const show = (share: number): string => quantile(samples, share).toFixed(digits);
  return `${show(0.5)} ${unit} (${show(0)} to ${show(1)})`;
}

/** Widths that fit most tables, so that a table printed in parts stays aligned. */
const figureWidth = 48;
const valueWidth = 30;

/** Prints rows in aligned columns. */
export function printTable(rows: readonly Row[]): void {
  const figures = Math.max(figureWidth, ...rows.map((row) => row.figure.length));
  const values = Math.max(valueWidth, ...rows.map((row) => row.value.length));
  for (const row of rows)
    process.stdout.write(`  ${row.figure.padEnd(figures)}  ${row.value.padEnd(values)}  ${row.reach}\n`);
}

/** Returns the least-squares slope of samples taken at equal distances, per distance. */
export function slope(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const rise = samples.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const run = samples.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return rise / run;
}
