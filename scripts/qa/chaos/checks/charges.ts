/** Checks that what was charged is what clients were answered, or that a difference has a reason that costs nobody anything. */
import type { Row } from "../../world/table.js";
import type { Scene } from "../scene.js";
import type { Records, Waited } from "../records.js";

/** Three times the delay of PostgreSQL's WAL writer, and the way to the client. */
const unsyncedMsMax = 2_000;

interface RunRow {
  readonly request_id: string;
  readonly team_id: string;
  readonly state: string;
  readonly cost_ticks: string;
  readonly endpoint: string;
}

/** @param jobTicks what the answers of jobs say that they cost */
export async function checkCharges(
  { observer, records }: Scene,
  jobTicks: ReadonlyMap<string, number>,
): Promise<readonly Row[]> {
  const runs = await observer.rows<RunRow>(
    "select request_id, team_id, state, cost_ticks, endpoint from runs order by create_time, id",
  );
  const byRequest = new Map<string, RunRow[]>();
  for (const run of runs) byRequest.set(run.request_id, [...(byRequest.get(run.request_id) ?? []), run]);
  const twice = await observer.rows<{ run_id: string }>(
    "select run_id from ledger_transactions where kind in ('settle', 'release') group by run_id having count(*) > 1",
  );
  for (const { run_id } of twice) records.broken.push(`run ${run_id} was settled twice`);
  const tally = new Tally(records);
  for (const waited of records.waited) tally.addWaited(waited, byRequest.get(waited.requestId) ?? []);
  for (const [id, ticks] of jobTicks) tally.addJob(id, ticks, byRequest.get(id) ?? []);
  for (const { id } of [...records.deferred, ...records.responses])
    if (!jobTicks.has(id)) tally.addUnanswered(id, byRequest.get(id) ?? []);
  return tally.rows(runs.length);
}

class Tally {
  readonly #outcomes = new Map<string, number>();
  #free = 0;
  #unanswered = 0;
  #charged = 0;

  #takenBack = 0;
  private readonly broken: string[];

  constructor(private readonly records: Records) {
    this.broken = records.broken;
  }

  addWaited(waited: Waited, runs: readonly RunRow[]): void {
    const { requestId, outcome, ticks, status } = waited;
    const counted = outcome === "refused" ? `refused with ${status}` : outcome;
    this.#outcomes.set(counted, (this.#outcomes.get(counted) ?? 0) + 1);
    const charged = sumOf(runs);
    if (runs.length > 1) this.broken.push(`request ${requestId} has ${runs.length} runs`);
    if (outcome === "whole" && runs.length === 0 && this.#isTakenBack(waited)) {
      this.#takenBack += 1;
      return;
    }
    if (outcome === "whole") return this.#compare(`request ${requestId}`, ticks ?? 0, runs);
    // An engine that fails has produced something before, which is charged.
    if (outcome === "refused" && charged > 0 && runs[0]?.state !== "failed")
      this.broken.push(`request ${requestId} was answered ${status}, and charged ${charged} ticks`);
    if (charged > 0) this.#unanswered += 1;
  }

  addJob(id: string, ticks: number, runs: readonly RunRow[]): void {
    const charged = runs.filter(({ cost_ticks }) => Number(cost_ticks) > 0);
    if (charged.length > 1) this.broken.push(`job ${id} was charged ${charged.length} times`);
    this.#compare(`job ${id}`, ticks, runs);
  }

  /** A job that was cancelled or has failed is charged what it produced, once. */
  addUnanswered(id: string, runs: readonly RunRow[]): void {
    const charged = runs.filter(({ cost_ticks }) => Number(cost_ticks) > 0);
    if (charged.length > 1) this.broken.push(`job ${id} was charged ${charged.length} times`);
  }

  /**
   * Starts and ends of runs are not synced: a crash of the database takes back those of the last moment before it. A run without its start
   * has no end either, also when the answer goes on after the crash.
   */
  #isTakenBack({ beganAt, endedAt }: Waited): boolean {
    return this.records.crashes.some(({ from, until }) => endedAt > from - unsyncedMsMax && beganAt < until);
  }

  #compare(what: string, ticks: number, runs: readonly RunRow[]): void {
    const charged = sumOf(runs);
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
    this.broken.push(
      `${what} was answered ${ticks} ticks, and its runs are: ${shown === "" ? "none" : shown}`,
    );
  }

  rows(runs: number): readonly Row[] {
    const outcomes = [...this.#outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
    return [
      { figure: "requests whose client waited", value: outcomes, reach: "" },
      { figure: "answers that are charged as they say", value: String(this.#charged), reach: "" },
      { figure: "whole answers of an interrupted run, free", value: String(this.#free), reach: "" },
      { figure: "whole answers that a crash took back, free", value: String(this.#takenBack), reach: "" },
      { figure: "answers that did not arrive whole, charged", value: String(this.#unanswered), reach: "" },
      { figure: "runs", value: String(runs), reach: "each settled once" },
    ];
  }
}

function sumOf(runs: readonly RunRow[]): number {
  return runs.reduce((sum, { cost_ticks }) => sum + Number(cost_ticks), 0);
}
