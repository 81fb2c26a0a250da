/** Checks that what was charged is what clients were answered, or that a difference has a reason that costs nobody anything. */
import { Counts } from "../figures/counts.js";
import { toRow, type Row } from "../figures/table.js";
import type { Books } from "./books.js";
import type { Judge } from "./violation.js";

/** A request whose client waited. */
export interface Waited {
  readonly requestId: string;
  /** `whole`: the answer came to its end; `refused`: an error instead of an answer; `broken`: none, or not to its end; `left`: by its client. */
  readonly outcome: "whole" | "refused" | "broken" | "left";
  /** What the answer says that it cost; null where it does not say it. */
  readonly ticks: number | null;
  readonly status: number | null;
  readonly beganAt: number;
  /** When the answer, or the attempt, had ended. */
  readonly endedAt: number;
}

/** What clients were answered. */
export interface Answered {
  readonly waited: readonly Waited[];
  /** What the answer of each accepted job says that it cost, by id of the job; null: it has no answer. */
  readonly jobTicks: ReadonlyMap<string, number | null>;
  /** When the database crashed, and when it was up again. */
  readonly crashes: readonly { readonly from: number; readonly until: number }[];
}

/** Three times the delay of PostgreSQL's WAL writer, and the way to the client. */
const unsyncedMsMax = 2_000;

interface RunRow {
  readonly request_id: string;
  readonly state: string;
  /** A text in PostgreSQL. */
  readonly cost_ticks: string | number | null;
}

export async function checkCharges(books: Books, answered: Answered, judge: Judge): Promise<readonly Row[]> {
  const runs = await books.rows<RunRow>(
    "select request_id, state, cost_ticks from runs order by create_time, id",
  );
  const byRequest = new Map<string, RunRow[]>();
  for (const run of runs) byRequest.set(run.request_id, [...(byRequest.get(run.request_id) ?? []), run]);
  const tally = new Tally(answered, judge);
  for (const waited of answered.waited) tally.addWaited(waited, byRequest.get(waited.requestId) ?? []);
  for (const [id, ticks] of answered.jobTicks) tally.addJob(id, ticks, byRequest.get(id) ?? []);
  return tally.rows(runs.length);
}

class Tally {
  readonly #outcomes = new Counts();
  #free = 0;
  #unanswered = 0;
  #charged = 0;
  #takenBack = 0;

  constructor(
    private readonly answered: Answered,
    private readonly judge: Judge,
  ) {}

  addWaited(waited: Waited, runs: readonly RunRow[]): void {
    const { requestId, outcome, ticks, status } = waited;
    this.#outcomes.add(outcome === "refused" ? `refused with ${status}` : outcome);
    const charged = sumCosts(runs);
    this.judge(
      runs.length <= 1,
      "a request has one run",
      () => `request ${requestId} has ${runs.length} runs`,
    );
    if (outcome === "whole" && runs.length === 0 && this.#isTakenBack(waited)) {
      this.#takenBack += 1;
      return;
    }
    if (outcome === "whole") return this.#compare(`request ${requestId}`, ticks ?? 0, runs);
    // An engine that fails has produced something before, which is charged.
    this.judge(
      outcome !== "refused" || charged === 0 || runs[0]?.state === "failed",
      "what is refused costs nothing",
      () => `request ${requestId} was answered ${status}, and charged ${charged} ticks`,
    );
    if (charged > 0) this.#unanswered += 1;
  }

  /** A job that was cancelled or has failed is charged what it produced, once. */
  addJob(id: string, ticks: number | null, runs: readonly RunRow[]): void {
    const charged = runs.filter(({ cost_ticks }) => Number(cost_ticks) > 0);
    this.judge(
      charged.length <= 1,
      "nothing is charged twice",
      () => `job ${id} was charged ${charged.length} times`,
    );
    if (ticks !== null) this.#compare(`job ${id}`, ticks, runs);
  }

  /**
   * Starts and ends of runs are not synced: a crash of the database takes back the last of them. A run without its start
   * has no end either, also when the answer goes on after the crash.
   */
  #isTakenBack({ beganAt, endedAt }: Waited): boolean {
    return this.answered.crashes.some(({ from, until }) => endedAt > from - unsyncedMsMax && beganAt < until);
  }

  #compare(what: string, ticks: number, runs: readonly RunRow[]): void {
    const charged = sumCosts(runs);
    if (charged === ticks) {
      this.#charged += 1;
      return;
    }
    // Its server was taken for ended while it answered.
    if (charged === 0 && runs.some(({ state }) => state === "interrupted")) {
      this.#free += 1;
      return;
    }
    const shown = runs.map(({ state, cost_ticks }) => `${state} ${cost_ticks}`).join(", ");
    this.judge(
      false,
      "answers are charged as they say",
      () => `${what} was answered ${ticks} ticks, and its runs are: ${shown === "" ? "none" : shown}`,
    );
  }

  rows(runs: number): readonly Row[] {
    return [
      toRow("requests whose client waited", String(this.#outcomes)),
      toRow("answers that are charged as they say", String(this.#charged)),
      toRow("whole answers of an interrupted run, free", String(this.#free)),
      toRow("whole answers that a crash took back, free", String(this.#takenBack)),
      toRow("answers that did not arrive whole, charged", String(this.#unanswered)),
      toRow("runs", String(runs), "each settled once"),
    ];
  }
}

function sumCosts(runs: readonly RunRow[]): number {
  return runs.reduce((sum, { cost_ticks }) => sum + Number(cost_ticks), 0);
}
