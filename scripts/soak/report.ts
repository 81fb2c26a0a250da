/** The soak's tables. */
import { slope, type Row } from "../bench/table.js";
import type { Tally } from "./tally.js";

/** Requests by what came of them and by status. */
export function outcomeTable({ results, statuses }: Tally): readonly Row[] {
  const rows = (counts: ReadonlyMap<string, number>, about: string): Row[] =>
    [...counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, count]) => ({ figure: about + name, value: String(count), reach: "" }));
  return [...rows(results, ""), ...rows(statuses, "status ")];
}

/** A line a minute, and the slope over the second half: in the first the heaps grow to the size they keep. */
export function memoryTable(perMinute: readonly number[]): readonly Row[] {
  const mb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const rows = perMinute.map((bytes, minute) => ({
    figure: `minute ${minute + 1}, least`,
    value: mb(bytes),
    reach: "",
  }));
  const settled = perMinute.slice(Math.floor(perMinute.length / 2));
  if (settled.length < 3) return rows;
  return [
    ...rows,
    { figure: "slope of the second half", value: `${mb(slope(settled))} a minute`, reach: "flat" },
  ];
}

/** What must be, and whether it is. */
export function verdict(
  tally: Tally,
  stuck: number,
): { readonly rows: readonly Row[]; readonly failed: boolean } {
  const musts: readonly (readonly [string, number])[] = [
    ["stuck slots", stuck],
    ["5xx other than 503", tally.serverErrors],
    ["answers that do not fit their request", tally.wrong],
  ];
  const rows = musts.map(([figure, value]) => ({ figure, value: String(value), reach: "0" }));
  const reasons = tally.wrongs.map((wrong) => ({ figure: "", value: wrong, reach: "" }));
  return { rows: [...rows, ...reasons], failed: musts.some(([, value]) => value > 0) };
}
