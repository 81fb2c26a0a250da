import { sql } from "kysely";
import {
  noSpending,
  type Month,
  type MonthlySpending,
  type SpendingLimits,
  type SpendingStore,
} from "../spending.js";
import type { Database } from "../../../store/database.js";
import { writeOf } from "../../../store/writes.js";

interface Row {
  readonly team_id: string;
  readonly charged: string;
  readonly reserved: string;
  readonly hard_ticks: number | null;
  readonly soft_ticks: number | null;
}

/** The tables of what teams spend in a month, which triggers of the runs keep, and of its limits. */
export function createSpendingStore({ kysely }: Database): SpendingStore {
  return {
    async find(teamId, month) {
      const { rows } = await selection(sql`values (${teamId})`, month).execute(kysely);
      return rows[0] === undefined ? noSpending : fromRow(rows[0]);
    },
    async all(month) {
      const { rows } = await selection(sql`select id from teams`, month).execute(kysely);
      return new Map(rows.map((row) => [row.team_id, fromRow(row)]));
    },
    replacement(teamId, before, after) {
      const insert = kysely.insertInto("spending_limits").values({ team_id: teamId, ...toColumns(after) });
      const query = insert.onConflict((conflict) =>
        conflict
          .column("team_id")
          .doUpdateSet(toColumns(after))
          .where("spending_limits.hard_ticks", "is", before.hardTicks)
          .where("spending_limits.soft_ticks", "is", before.softTicks),
      );
      return writeOf("spending_limits", query.compile(), 1);
    },
  };
}

const selection = (teams: ReturnType<typeof sql>, month: Month) => sql<Row>`
  with team (id) as (${teams})
  select team.id as team_id, cast(coalesce(charged_ticks, 0) as text) as charged,
    cast(coalesce(reserved_ticks, 0) as text) as reserved, hard_ticks, soft_ticks
  from team left join spending_limits as bound on bound.team_id = team.id
    left join team_months as spent on spent.team_id = team.id and spent.month = ${month}
  where bound.team_id is not null or spent.team_id is not null`;

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
