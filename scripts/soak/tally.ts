/** What became of all requests. */

export interface Outcome {
  /** What the client did. */
  readonly kind: string;
  /** What came of it, in words; the table counts by them. */
  readonly result: string;
  /** The status that was answered; null when the client was gone or the connection lost. */
  readonly status: number | null;
  /** One sentence when it is not what the request calls for, else null. */
  readonly wrong: string | null;
}

const wrongsKept = 10;

export class Tally {
  requests = 0;
  /** 5xx other than 503. */
  serverErrors = 0;
  wrong = 0;
  /** The first few things that were wrong. */
  readonly wrongs: string[] = [];
  /** By what came of it. */
  readonly results = new Map<string, number>();
  readonly statuses = new Map<string, number>();

  add({ kind, result, status, wrong }: Outcome): void {
    this.requests += 1;
    count(this.results, result);
    count(this.statuses, status === null ? "none" : String(status));
    if (status !== null && status >= 500 && status !== 503) this.serverErrors += 1;
    if (wrong === null) return;
    this.wrong += 1;
    if (this.wrongs.length < wrongsKept) this.wrongs.push(`${kind}: ${wrong}`);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
