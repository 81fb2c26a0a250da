import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../../store/database.js";
import type { Schema } from "../../../store/schema.js";
import { createWrite, statementsOf, type Write } from "../../../store/writes.js";

export function createInterruption(database: Database) {
  return {
    /**
     * Marks every run without a node that is still `running` as `interrupted`, at no cost, and releases what was reserved for it; called
     * at start, when nothing runs yet. In one transaction, over the partial index of running runs. @returns how many there were.
     */
    interruptAll: (endTime: number): Promise<number> => interruptRuns(database, endTime),
    /** Returns the writes that do the same with the runs of a node that has ended. */
    interruptions: (node: number, endTime: number): readonly Write[] =>
      interruptions(database, node, endTime),
  };
}

async function interruptRuns({ kysely, commit }: Database, endTime: number): Promise<number> {
  const { count } = await kysely
    .selectFrom("runs")
    .select((run) => run.fn.countAll<number>().as("count"))
    // A literal, here and below: SQLite uses a partial index only when it sees the value.
    .where("state", "=", sql.lit("running"))
    .where(sql<boolean>`${ofNode(null)}`)
    .executeTakeFirstOrThrow();
  if (count === 0) return 0;
  await commit(statementsOf(interruptions({ kysely }, null, endTime)), true);
  return count;
}

/** @param node a node that has ended; null: of those without a node */
function interruptions(
  { kysely }: Pick<Database, "kysely">,
  node: number | null,
  endTime: number,
): readonly Write[] {
  const isIts = sql`state = 'running' and ${ofNode(node)}`;
  const write = (table: keyof Schema, step: RawBuilder<unknown>): Write =>
    createWrite(table, step.compile(kysely));
  return [
    write(
      "ledger_transactions",
      sql`insert into ledger_transactions (kind, team_id, run_id, create_time)
        select 'release', team_id, id, ${endTime} from runs where ${isIts} and reserved_ticks > 0`,
    ),
    write("ledger_entries", entries(node, "reserved", sql`-run.reserved_ticks`)),
    write("ledger_entries", entries(node, "credit", sql`run.reserved_ticks`)),
    write(
      "runs",
      sql`update runs set state = 'interrupted', cost_ticks = 0, end_time = ${endTime} where ${isIts}`,
    ),
  ];
}

function ofNode(node: number | null): RawBuilder<unknown> {
  return node === null ? sql`node_id is null` : sql`node_id = ${node}`;
}

function entries(
  node: number | null,
  account: "reserved" | "credit",
  ticks: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`insert into ledger_entries (transaction_id, account, amount_ticks)
    select released.id, ${account}, ${ticks} from runs as run
    join ledger_transactions as released on released.run_id = run.id and released.kind in ('settle', 'release')
    where run.state = 'running' and ${ofNode(node)} and run.reserved_ticks > 0`;
}
