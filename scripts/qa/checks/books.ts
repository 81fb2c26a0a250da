/** What a database says of money, jobs and batches, read beside the servers: SQLite and PostgreSQL alike. */
import type { Judge } from "./violation.js";

/** Returns the rows of a query whose values stand at $1, $2 and so on. */
export type ReadRows = <Row extends object>(
  text: string,
  ...values: readonly (string | number)[]
) => Promise<readonly Row[]>;

export type JobTable = "deferred_completions" | "responses";

/** Ids of runs that answer lines of batches begin with it; they cost half. */
export const batchRequest = "batch_req_";

const unlikeReservations = `select kept.team_id as team, balance_ticks as balance, coalesce(held, 0) as held
  from ledger_balances as kept left join (
    select team_id, sum(reserved_ticks) as held from runs where state = 'running' group by team_id
  ) as running on running.team_id = kept.team_id
  where account = 'reserved' and balance_ticks <> coalesce(held, 0)`;

const settledTwice = `select run_id as run from ledger_transactions where kind in ('settle', 'release')
  group by run_id having count(*) > 1`;

const paidInterruptions = `select id as run from runs where state = 'interrupted' and cost_ticks > 0`;

export class Books {
  constructor(
    readonly rows: ReadRows,
    private readonly judge: Judge,
  ) {}

  async checkReservations(): Promise<void> {
    const unlike = await this.rows(unlikeReservations);
    this.judge(unlike.length === 0, "what is reserved belongs to running runs", () => JSON.stringify(unlike));
  }

  /** Checks all runs that have ended. */
  async checkEndedRuns(): Promise<void> {
    for (const { run } of await this.rows<{ run: string }>(settledTwice))
      this.judge(false, "nothing is charged twice", () => `run ${run} was settled twice`);
    for (const { run } of await this.rows<{ run: string }>(paidInterruptions))
      this.judge(false, "an interrupted run costs nothing", () => `run ${run}`);
  }

  /** Returns where a job is: in the queue, done (with a state), or neither. */
  async readJob(
    id: string,
    table: JobTable,
  ): Promise<{ readonly isQueued: boolean; readonly state: string | null }> {
    const isQueued = (await this.count("select count(*) as count from jobs where id = $1", id)) > 0;
    const column = table === "responses" ? "status" : "state";
    const text = `select ${column} as state from ${table} where id = $1`;
    const [row] = await this.rows<{ state: string }>(text, id);
    return { isQueued, state: row?.state ?? null };
  }

  /** Returns how many runs of a job have cost something. */
  countChargedRuns(jobId: string): Promise<number> {
    const text = `select count(*) as count from runs where request_id = $1 and cost_ticks > 0 and state <> 'running'`;
    return this.count(text, jobId);
  }

  /** Returns the state of a batch, null for an unknown one, and how many of its lines are in the queue. */
  async readBatch(id: string): Promise<{ readonly state: string | null; readonly jobs: number }> {
    const [row] = await this.rows<{ state: string }>("select state from batches where id = $1", id);
    const digits = id.slice(id.indexOf("_") + 1);
    const text = "select count(*) as count from jobs where id like $1";
    return { state: row?.state ?? null, jobs: await this.count(text, `${batchRequest}${digits}_%`) };
  }

  /** Returns the lines of batches of which several runs have cost something. */
  async findLinesChargedTwice(): Promise<readonly string[]> {
    const text = `select request_id as line from runs where request_id like $1 and cost_ticks > 0 and state <> 'running'
      group by request_id having count(*) > 1`;
    return (await this.rows<{ line: string }>(text, `${batchRequest}%`)).map(({ line }) => line);
  }

  /** Returns the number in the column `count` of the only row. */
  async count(text: string, ...values: readonly (string | number)[]): Promise<number> {
    const [row] = await this.rows<{ count: number | string | null }>(text, ...values);
    return Number(row?.count ?? 0);
  }
}
