/** What a history is made from, and what comes of it. */
import { Counts } from "../figures/counts.js";

export interface HistoryOptions {
  readonly seed: number;
  /** Simulated hours with work; the end of the last work follows. */
  readonly hours: number;
  /** Gets every line of the trace. */
  readonly onLine?: (line: string) => void;
}

export interface HistoryResult {
  /** Equal for histories that went the same way. */
  readonly traceHash: string;
  readonly steps: number;
  readonly runs: number;
  readonly restarts: number;
  readonly requests: Counts;
  /** Batches by the state in which their clients found them ended. */
  readonly batches: Counts;
  /** Statements that each kind of fault hit. */
  readonly faults: Counts;
  /** The largest difference of two waiting teams' tokens. */
  readonly tokensApartMax: number;
}

/** A guarantee did not hold in the history of a seed. */
export class HistoryFailure extends Error {
  readonly seed: number;
  readonly lastLines: readonly string[];

  constructor(seed: number, cause: unknown, lastLines: readonly string[]) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "HistoryFailure";
    this.seed = seed;
    this.lastLines = lastLines;
  }
}

/** Sums over histories. */
export class Totals {
  readonly requests = new Counts();
  readonly batches = new Counts();
  readonly faults = new Counts();
  hours = 0;
  runs = 0;
  #histories = 0;
  #steps = 0;
  #restarts = 0;
  #tokensApartMax = 0;

  add(result: HistoryResult, hours: number): void {
    this.hours += hours;
    this.runs += result.runs;
    this.#histories += 1;
    this.#steps += result.steps;
    this.#restarts += result.restarts;
    this.#tokensApartMax = Math.max(this.#tokensApartMax, result.tokensApartMax);
    this.requests.addAll(result.requests);
    this.batches.addAll(result.batches);
    this.faults.addAll(result.faults);
  }

  /** Prints what was simulated in so many seconds. */
  print(seconds: number): void {
    process.stdout.write(
      `\n${this.hours} hours in ${this.#histories} histories, in ${seconds.toFixed(0)} s (${(this.hours / seconds).toFixed(1)} h/s)\n` +
        `${this.#steps} steps, ${this.runs} runs, ${this.#restarts} restarts, teams at most ${this.#tokensApartMax} tokens apart\n\n`,
    );
    printCounts("statements that a fault hit", this.faults);
    printCounts("batches by their end", this.batches);
    printCounts("requests by status (0: the connection broke)", this.requests);
  }
}

function printCounts(title: string, { sorted }: Counts): void {
  const lines = sorted.map(([name, count]) => `  ${name.padEnd(20)}${String(count).padStart(9)}\n`);
  process.stdout.write(`${title}\n${lines.join("")}\n`);
}
