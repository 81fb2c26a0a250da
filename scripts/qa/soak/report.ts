/** The result tables of the soak test. */
import type { Counts } from "../figures/counts.js";
import { slope, toRow, type Row } from "../figures/table.js";
import type { SoakTally } from "./tally.js";

const shownMax = 20;

/** Returns the number of requests by result and by status. */
export function outcomeTable({ results, statuses }: SoakTally): readonly Row[] {
  const rows = (counts: Counts, about: string): Row[] =>
    counts.sorted.map(([name, count]) => toRow(about + name, String(count)));
  return [...rows(results, ""), ...rows(statuses, "status ")];
}

/**
 * Returns a line per minute, and the slope over the second half; in the first half the heaps grow to their
 * steady size.
 */
export function memoryTable(perMinute: readonly number[]): readonly Row[] {
  const mb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const rows = perMinute.map((bytes, minute) => toRow(`minute ${minute + 1}, least`, mb(bytes)));
  const settled = perMinute.slice(Math.floor(perMinute.length / 2));
  if (settled.length < 3) return rows;
  return [...rows, toRow("slope of the second half", `${mb(slope(settled))} a minute`, "flat")];
}

/** Returns the pass criteria and whether they are met. @param broken what does not hold of the work of clients */
export function verdict(
  tally: SoakTally,
  stuck: number,
  broken: readonly string[],
): { readonly rows: readonly Row[]; readonly failed: boolean } {
  const musts: readonly (readonly [string, number])[] = [
    ["stuck slots", stuck],
    ["5xx other than 503", tally.serverErrors],
    ["answers that do not fit their request", tally.wrong],
    ["what does not hold of books, jobs and batches", broken.length],
  ];
  const rows = musts.map(([figure, value]) => toRow(figure, String(value), "0"));
  const reasons = [...tally.wrongs, ...broken.slice(0, shownMax)].map((wrong) => toRow("", wrong));
  return { rows: [...rows, ...reasons], failed: musts.some(([, value]) => value > 0) };
}
