import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../../store/database.js";
import type { Schema } from "../../../store/tables.js";
import { createWrite, listStatements, type Write } from "../../../store/writes.js";

export function createInterruption(database: Database) {
  return {
    /**
     * Marks every run without a node that is still `running` as `interrupted`, at no cost, and releases what was reserved for it; called
     * at start, when nothing runs yet. In one transaction, over the partial index of running runs. @returns how many there were.
     */
    interruptAll: (endTime: number): Promise<number> => interruptRuns(database, endTime),
    /** Returns the writes that do the same with the runs of a node that has ended. */
    interruptions: (node: number, endTime: number): readonly Write[] =>
      interruptions(database, ofNode(node), endTime),
    /** Returns the runs that are `running` by their rows, and are this server's. */
    async runningHere(): Promise<readonly string[]> {
      const rows = await database.kysely
        .selectFrom("runs")
        .select("id")
        .where("state", "=", sql.lit("running"))
        .where(sql<boolean>`node_id is not distinct from ${database.dialect.thisNode}`)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Returns the writes that do the same with these runs. */
    interruptionsOf: (ids: readonly string[], endTime: number): readonly Write[] =>
      interruptions(database, ofIds(database, ids), endTime),
  };
}

async function interruptRuns(database: Database, endTime: number): Promise<number> {
  const { kysely, commit } = database;
  const { count } = await kysely
    .selectFrom("runs")
    .select((run) => run.fn.countAll<number>().as("count"))
    // A literal, here and below: SQLite uses a partial index only when it sees the value.
    .where("state", "=", sql.lit("running"))
    .where(sql<boolean>`${ofNode(null)("runs")}`)
    .executeTakeFirstOrThrow();
  if (count === 0) return 0;
  await commit(listStatements(interruptions(database, ofNode(null), endTime)), true);
  return count;
}

/** Which runs: a condition on a table of runs of that name. */
type Which = (runs: string) => RawBuilder<unknown>;

function interruptions(
  { kysely, dialect: { lockOfRuns } }: Database,
  which: Which,
  endTime: number,
): readonly Write[] {
  const isIts = sql`state = 'running' and ${which("runs")}`;
  const write = (table: keyof Schema, step: RawBuilder<unknown>): Write =>
    createWrite(table, step.compile(kysely));
  const locking = (lockRuns: NonNullable<typeof lockOfRuns>): Write =>
    write(
      "runs",
      sql`select ${lockRuns(sql`team_id`)} from (select distinct team_id from runs where ${isIts} order by team_id) as teams`,
    );
  return [
    // A request locks the sums of its team and its budgets, and then the balances. Statements for many runs cannot follow that order.
    ...(lockOfRuns === null ? [] : [locking(lockOfRuns)]),
    write(
      "ledgerTransactions",
      sql`insert into ledger_transactions (kind, team_id, run_id, create_time)
        select 'release', team_id, id, ${endTime} from runs where ${isIts} and reserved_ticks > 0`,
    ),
    // In the order in which every transaction of the ledger locks balances.
    write("ledgerEntries", entries(which, "credit", sql`run.reserved_ticks`)),
    write("ledgerEntries", entries(which, "reserved", sql`-run.reserved_ticks`)),
    write(
      "runs",
      // Not one that has got its row since the first statement: what is reserved for it is not released.
      sql`update runs set state = 'interrupted', cost_ticks = 0, end_time = ${endTime} where ${isIts}
        and (coalesce(reserved_ticks, 0) = 0 or exists (select 1 from ledger_transactions
          where run_id = runs.id and kind in ('settle', 'release')))`,
    ),
  ];
}

function ofNode(node: number | null): Which {
  return (runs) => {
    const column = sql.ref(`${runs}.node_id`);
    return node === null ? sql`${column} is null` : sql`${column} = ${node}`;
  };
}

function ofIds({ dialect }: Database, ids: readonly string[]): Which {
  return (runs) => sql`${sql.ref(`${runs}.id`)} in ${dialect.selectStrings(JSON.stringify(ids))}`;
}

function entries(
  which: Which,
  account: "reserved" | "credit",
  ticks: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`insert into ledger_entries (transaction_id, account, amount_ticks)
    select released.id, ${account}, ${ticks} from runs as run
    join ledger_transactions as released on released.run_id = run.id and released.kind in ('settle', 'release')
    where run.state = 'running' and ${which("run")} and run.reserved_ticks > 0`;
}
