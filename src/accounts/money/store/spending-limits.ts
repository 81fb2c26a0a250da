import { sql } from "kysely";
import { noSpending, type Month, type MonthlySpending, type SpendingLimits } from "../spending.js";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";

interface Row {
  readonly teamId: string;
  readonly charged: string;
  readonly reserved: string;
  readonly hardTicks: number | null;
  readonly softTicks: number | null;
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
      return new Map(rows.map((row) => [row.teamId, fromRow(row)]));
    },
    /** Replaces a team's limits. The commit fails with `conflict` when the stored limits differ from `before`. */
    replacement(teamId: string, before: SpendingLimits, after: SpendingLimits): Write {
      const insert = kysely.insertInto("spendingLimits").values({ teamId, ...toColumns(after) });
      const query = insert.onConflict((conflict) =>
        conflict
          .column("teamId")
          .doUpdateSet(toColumns(after))
          .where("spendingLimits.hardTicks", "is not distinct from", before.hardTicks)
          .where("spendingLimits.softTicks", "is not distinct from", before.softTicks),
      );
      return createWrite("spendingLimits", query.compile(), 1);
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
  return { hardTicks, softTicks };
}

function fromRow(row: Row): MonthlySpending {
  return {
    chargedTicks: BigInt(row.charged),
    reservedTicks: BigInt(row.reserved),
    limits: { hardTicks: row.hardTicks, softTicks: row.softTicks },
  };
}
