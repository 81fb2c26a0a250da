/** Counts the results of all requests. */
import { Counts } from "../figures/counts.js";

export interface SoakOutcome {
  /** The kind of request. */
  readonly kind: string;
  /** The result in words; the table counts by it. */
  readonly result: string;
  /** The status of the answer; null if the client disconnected or the connection was lost. */
  readonly status: number | null;
  /** A sentence if the result is not as expected, else null. */
  readonly wrong: string | null;
}

const wrongsKept = 10;

export class SoakTally {
  requests = 0;
  /** 5xx other than 503. */
  serverErrors = 0;
  wrong = 0;
  /** The first few unexpected results. */
  readonly wrongs: string[] = [];
  /** The number of requests by result. */
  readonly results = new Counts();
  readonly statuses = new Counts();

  add({ kind, result, status, wrong }: SoakOutcome): void {
    this.requests += 1;
    this.results.add(result);
    this.statuses.add(status === null ? "none" : String(status));
    if (status !== null && status >= 500 && status !== 503) this.serverErrors += 1;
    if (wrong === null) return;
    this.wrong += 1;
    if (this.wrongs.length < wrongsKept) this.wrongs.push(`${kind}: ${wrong}`);
  }
}
