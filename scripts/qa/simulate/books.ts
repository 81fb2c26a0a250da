/** The books and jobs in the database, compared after each change with what the simulation knows by itself. */
import Sqlite from "better-sqlite3";
import { creditTransaction } from "../../../src/accounts/money/ledger.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import type { Database } from "../../../src/store/database.js";
import { batchRequest, Books } from "../checks/books.js";
import { readSqlite } from "../checks/read-sqlite.js";
import { holds, Violation } from "../checks/violation.js";
import type { SimulatedDisk } from "./disk.js";
import type { Produced } from "./engine.js";
import { boundedTeam, limits, simulatedModel } from "./world.js";

const { promptTextTokenTicks, completionTextTokenTicks } = simulatedModel.manifest.prices;

interface EndedRun {
  readonly transaction: number;
  readonly kind: string;
  readonly sum: number;
  readonly revenue: number | null;
  readonly run: string | null;
  /** Id of the request or job. */
  readonly request: string | null;
  readonly state: string | null;
  readonly cost: number | null;
  readonly reserved: number | null;
  readonly prompt: number | null;
  readonly completion: number | null;
}

const endedSince = `select made.id as "transaction", kind,
  (select sum(amount_ticks) from ledger_entries where transaction_id = made.id) as sum,
  (select amount_ticks from ledger_entries where transaction_id = made.id and account = 'revenue') as revenue,
  run_id as run, request_id as request, state, cost_ticks as cost, reserved_ticks as reserved,
  prompt_tokens as prompt, completion_tokens as completion
  from ledger_transactions as made left join runs on runs.id = made.run_id where made.id > $1 order by made.id`;

/** Full recomputations take longer than the checks of what has changed. */
const fullCheckEvery = 200;

export class SimulatedBooks extends Books {
  readonly #database: Database;
  readonly #disk: SimulatedDisk;
  readonly #reader: Sqlite.Database;
  /** Runs whose end was charged or released. */
  readonly #ended = new Set<string>();
  #lastTransaction = 0;
  #checks = 0;
  #version: unknown = null;

  private constructor(disk: SimulatedDisk, database: Database, reader: Sqlite.Database) {
    super(readSqlite(reader), holds);
    this.#disk = disk;
    this.#database = database;
    this.#reader = reader;
  }

  /** Opens the files beside the server. @param prepare writes what the first process finds. */
  static async open(
    disk: SimulatedDisk,
    prepare?: (database: Database) => Promise<void>,
  ): Promise<SimulatedBooks> {
    const database = await disk.openBeside();
    await prepare?.(database);
    const reader = new Sqlite(disk.file);
    reader.pragma("wal_autocheckpoint = 0");
    const books = new SimulatedBooks(disk, database, reader);
    books.checkpoint();
    return books;
  }

  /** Moves the log into the file, as the last connection does when it closes. */
  checkpoint(): void {
    this.#reader.pragma("wal_checkpoint(TRUNCATE)");
    this.#disk.synced();
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#database.close();
  }

  /** Buys credit as `hearth credits` does. */
  async buy(teamId: string, ticks: number, time: number): Promise<void> {
    const ledger = createLedgerStore(this.#database);
    await ledger.post(creditTransaction("purchase", { teamId, ticks, note: null }, time));
    this.#disk.synced();
  }

  readCredit(teamId: string): Promise<number> {
    const text =
      "select balance_ticks as count from ledger_balances where account = 'credit' and team_id = $1";
    return this.count(text, teamId);
  }

  /** Returns whether anything was written since the last call. */
  hasChanged(): boolean {
    const version = this.#reader.pragma("data_version", { simple: true });
    const changed = version !== this.#version;
    this.#version = version;
    return changed;
  }

  /** Checks what has changed. @param produced what this process's engine produced. @throws Violation */
  async check(produced: ReadonlyMap<string, Produced>, activeRuns: number): Promise<void> {
    for (const row of await this.rows<EndedRun>(endedSince, this.#lastTransaction)) {
      this.#lastTransaction = row.transaction;
      this.#checkTransaction(row, produced);
    }
    await this.checkReservations();
    const running = await this.count("select count(*) as count from runs where state = 'running'");
    holds(running <= activeRuns, "each running row has a run", () => `${running} rows, ${activeRuns} runs`);
    const spentText =
      "select max(charged_ticks + reserved_ticks) as count from team_months where team_id = $1";
    const spent = await this.count(spentText, boundedTeam);
    holds(spent <= limits.hardTicks, "a month's spending has its limit", () => `${spent} ticks`);
    for (const kind of ["deferred-completion", "background-response"]) {
      const queued = await this.count("select count(*) as count from jobs where kind = $1", kind);
      holds(queued <= limits.jobsQueuedMax, "the queue of jobs has its limit", () => `${queued} of ${kind}`);
    }
    this.#checks += 1;
    if (this.#checks % fullCheckEvery === 0) await this.checkAll();
  }

  /** Recomputes the whole ledger. @throws Violation */
  async checkAll(): Promise<void> {
    const problems = await createLedgerStore(this.#database).verify();
    if (problems.length > 0) throw new Violation("the books balance", problems.join("; "));
  }

  countRuns(): Promise<number> {
    return this.count("select count(*) as count from runs");
  }

  #checkTransaction(row: EndedRun, produced: ReadonlyMap<string, Produced>): void {
    const { kind, run, sum, revenue } = row;
    holds(sum === 0, "the books balance", () => `transaction ${row.transaction} sums to ${sum}`);
    if (run === null || (kind !== "settle" && kind !== "release")) return;
    holds(!this.#ended.has(run), "nothing is charged twice", () => `run ${run}`);
    this.#ended.add(run);
    const made = produced.get(run.replaceAll("-", "")) ?? { prompt: 0, completion: 0 };
    if (row.state === "interrupted") {
      holds((revenue ?? 0) === 0, "an interrupted run costs nothing", () => `run ${run} cost ${revenue}`);
      return;
    }
    // All failures of the simulation are faults of its server or engine; a server that ends cuts runs that count nothing.
    const isFault = row.state === "failed" || (row.state === "aborted" && row.prompt === 0);
    if (isFault) {
      const counted = (revenue ?? 0) + (row.prompt ?? 0) + (row.completion ?? 0);
      holds(counted === 0, "a fault of the server costs nothing", () => JSON.stringify(row));
      return;
    }
    const full = made.prompt * promptTextTokenTicks + made.completion * completionTextTokenTicks;
    const owed = row.request?.startsWith(batchRequest) === true ? full / 2 : full;
    const due = Math.min(owed, row.reserved ?? Infinity);
    holds((revenue ?? 0) === due && row.cost === due, "a run is charged what it produced", () =>
      JSON.stringify({ ...row, ...made, due }),
    );
  }
}
