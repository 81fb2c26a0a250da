import type { HistoryResult } from "./result.js";

/** Sums over histories. */
export interface Totals {
  hours: number;
  histories: number;
  steps: number;
  runs: number;
  restarts: number;
  tokensApartMax: number;
  readonly requests: Map<string, number>;
  readonly batches: Map<string, number>;
  readonly faults: Map<string, number>;
}

export function emptyTotals(): Totals {
  return {
    hours: 0,
    histories: 0,
    steps: 0,
    runs: 0,
    restarts: 0,
    tokensApartMax: 0,
    requests: new Map(),
    batches: new Map(),
    faults: new Map(),
  };
}

export function addTo(totals: Totals, result: HistoryResult, hours: number): void {
  totals.hours += hours;
  totals.histories += 1;
  totals.steps += result.steps;
  totals.runs += result.runs;
  totals.restarts += result.restarts;
  totals.tokensApartMax = Math.max(totals.tokensApartMax, result.tokensApartMax);
  for (const [name, count] of result.requests) add(totals.requests, name, count);
  for (const [name, count] of result.batches) add(totals.batches, name, count);
  for (const [name, count] of Object.entries(result.faults)) add(totals.faults, name, count);
}

/** Prints what was simulated in so many seconds. */
export function printTotals(totals: Totals, seconds: number): void {
  const { hours, histories, steps, runs, restarts } = totals;
  process.stdout.write(
    `\n${hours} hours in ${histories} histories, in ${seconds.toFixed(0)} s (${(hours / seconds).toFixed(1)} h/s)\n` +
      `${steps} steps, ${runs} runs, ${restarts} restarts, teams at most ${totals.tokensApartMax} tokens apart\n\n`,
  );
  printCounts("statements that a fault hit", totals.faults);
  printCounts("batches by their end", totals.batches);
  printCounts("requests by status (0: the connection broke)", totals.requests);
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  const lines = [...counts]
    .sort()
    .map(([name, count]) => `  ${name.padEnd(20)}${String(count).padStart(9)}\n`);
  process.stdout.write(`${title}\n${lines.join("")}\n`);
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
