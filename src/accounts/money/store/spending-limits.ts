import { sql } from "kysely";
import { noSpending, type Month, type MonthlySpending, type SpendingLimits } from "../spending.js";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";

interface Row {
  readonly team_id: string;
  readonly charged: string;
  readonly reserved: string;
  readonly hard_ticks: number | null;
  readonly soft_ticks: number | null;
}

export type SpendingStore = ReturnType<typeof createSpendingStore>;

/** Creates the queries of the tables of monthly spending, which triggers on runs update, and of spending limits. */
export function createSpendingStore({ kysely }: Database) {
  return {
    async find(teamId: string, month: Month): Promise<MonthlySpending> {
      const { rows } = await selection(sql`values (${teamId})`, month).execute(kysely);
      return rows[0] === undefined ? noSpending : fromRow(rows[0]);
    },
    /** Returns, by team id, every team that has limits or has spent in that month. */
    async all(month: Month): Promise<ReadonlyMap<string, MonthlySpending>> {
      const { rows } = await selection(sql`select id from teams`, month).execute(kysely);
      return new Map(rows.map((row) => [row.team_id, fromRow(row)]));
    },
    /** Replaces a team's limits. The commit fails with `conflict` when the stored limits differ from `before`. */
    replacement(teamId: string, before: SpendingLimits, after: SpendingLimits): Write {
      const insert = kysely.insertInto("spending_limits").values({ team_id: teamId, ...toColumns(after) });
      const query = insert.onConflict((conflict) =>
        conflict
          .column("team_id")
          .doUpdateSet(toColumns(after))
          .where("spending_limits.hard_ticks", "is not distinct from", before.hardTicks)
          .where("spending_limits.soft_ticks", "is not distinct from", before.softTicks),
      );
      return createWrite("spending_limits", query.compile(), 1);
    },
  };
}

const selection = (teams: ReturnType<typeof sql>, month: Month) => sql<Row>`
  with team (id) as (${teams})
  select team.id as team_id, cast(coalesce(charged_ticks, 0) as text) as charged,
    cast(coalesce(reserved_ticks, 0) as text) as reserved, hard_ticks, soft_ticks
  from team left join spending_limits as limits on limits.team_id = team.id
    left join team_months as spent on spent.team_id = team.id and spent.month = ${month}
  where limits.team_id is not null or spent.team_id is not null`;

function toColumns({ hardTicks, softTicks }: SpendingLimits) {
  return { hard_ticks: hardTicks, soft_ticks: softTicks };
}

function fromRow(row: Row): MonthlySpending {
  return {
    chargedTicks: BigInt(row.charged),
    reservedTicks: BigInt(row.reserved),
    limits: { hardTicks: row.hard_ticks, softTicks: row.soft_ticks },
  };
}
