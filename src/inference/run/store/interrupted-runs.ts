import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../../store/database.js";

/**
 * Marks every run that is still `running` as `interrupted`, at no cost, and releases what was reserved for it: in one transaction,
 * over the partial index of running runs. @returns how many there were.
 */
export async function interruptRuns({ kysely, commit }: Database, endTime: number): Promise<number> {
  const { count } = await kysely
    .selectFrom("runs")
    .select((run) => run.fn.countAll<number>().as("count"))
    // A literal, here and below: SQLite uses a partial index only when it sees the value.
    .where("state", "=", sql.lit("running"))
    .executeTakeFirstOrThrow();
  if (count === 0) return 0;
  const steps = [
    sql`insert into ledger_transactions (kind, team_id, run_id, create_time)
      select 'release', team_id, id, ${endTime} from runs where state = 'running' and reserved_ticks > 0`,
    entries("reserved", sql`-run.reserved_ticks`),
    entries("credit", sql`run.reserved_ticks`),
    sql`update runs set state = 'interrupted', cost_ticks = 0, end_time = ${endTime} where state = 'running'`,
  ];
  await commit(
    steps.map((step) => ({ query: step.compile(kysely), rows: null })),
    true,
  );
  return count;
}

function entries(account: "reserved" | "credit", ticks: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into ledger_entries (transaction_id, account, amount_ticks)
    select released.id, ${account}, ${ticks} from runs as run
    join ledger_transactions as released on released.run_id = run.id and released.kind in ('settle', 'release')
    where run.state = 'running' and run.reserved_ticks > 0`;
}
