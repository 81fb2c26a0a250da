import { sql, type RawBuilder } from "kysely";
import {
  periodEnd,
  periodStart,
  type Budget,
  type BudgetLimits,
  type BudgetName,
  type BudgetStatus,
} from "../budget.js";
import type { Principal } from "../../keys/api-key.js";
import type { Database } from "../../../store/database.js";
import type { Dialect } from "../../../store/dialect/dialect.js";
import type { BudgetRow } from "../../../store/money-schema.js";
import { prepare } from "../../../store/prepared.js";
import { isUnchanged } from "../../../store/unchanged.js";
import { createWrite, type Write } from "../../../store/writes.js";

interface StatusRow extends BudgetRow {
  readonly spent_ticks: string;
  readonly spent_tokens: number;
  readonly reserved_ticks: string;
  readonly reserved_tokens: number;
  readonly warned: number;
}

/** Which budgets of a team are listed. */
export interface BudgetQuery {
  readonly teamId: string;
  /** Only those of these keys, members or teams; null = all. */
  readonly subjectIds: readonly string[] | null;
  /** Of keys and members, only those of this member; null = all. */
  readonly ownerId: string | null;
  /** The page starts after this budget; null = at the first one. */
  readonly after: Pick<Budget, "createTime" | "subjectId" | "period"> | null;
  readonly limit: number;
}

/** What the runs of a key that have ended cost and used. */
export interface KeySpending {
  readonly runs: number;
  readonly spentTicks: bigint;
  readonly spentTokens: number;
}

export type BudgetStore = ReturnType<typeof createBudgetStore>;

/** The start of the current period of each kind. */
interface Starts {
  readonly day: number;
  readonly week: number;
  readonly month: number;
}

function startsAt(now: number): Starts {
  return {
    day: periodStart("day", now),
    week: periodStart("week", now),
    month: periodStart("month", now),
  };
}

/** Creates the queries of the tables of budgets and of what is spent of them, which triggers on runs update. */
export function createBudgetStore({ kysely, dialect }: Database) {
  const ofPrincipal = prepareOfPrincipal({ kysely });
  return {
    /**
     * Returns the budgets that hold for the requests of a key, in the period of `now`. It runs on every request: look-ups by primary
     * key.
     */
    async of({ key, team }: Principal, now: number): Promise<readonly BudgetStatus[]> {
      const parameters = { keyId: key.id, userId: key.userId, teamId: team.id, ...startsAt(now) };
      const { rows } = await ofPrincipal(parameters);
      return rows.map((row) => fromRow(row, now));
    },
    /** Sums the hours from `from` on, in milliseconds since the epoch. */
    async keySpending(keyId: string, from: number): Promise<KeySpending> {
      const { rows } = await sql<{ runs: number; ticks: string; tokens: number }>`
        select coalesce(sum(runs), 0) as runs, cast(coalesce(sum(cost_ticks), 0) as text) as ticks,
          coalesce(sum(prompt_tokens + completion_tokens + reasoning_tokens), 0) as tokens
        from usage_hours where api_key_id = ${keyId} and hour >= ${from}`.execute(kysely);
      const { runs, ticks, tokens } = rows[0] ?? { runs: 0, ticks: "0", tokens: 0 };
      return { runs, spentTicks: BigInt(ticks), spentTokens: tokens };
    },
    /** Returns budgets in order of creation, in the period of `now`. */
    async page(query: BudgetQuery, now: number): Promise<readonly BudgetStatus[]> {
      const { rows } = await pageOf(query, startsAt(now)).execute(kysely);
      return rows.map((row) => fromRow(row, now));
    },
    /** Returns a budget; null when it does not exist. */
    async find(name: BudgetName, now: number): Promise<BudgetStatus | null> {
      const condition = sql`budget.subject_id = ${name.subjectId} and budget.subject = ${name.subject}
        and budget.team_id = ${name.teamId} and budget.period = ${name.period}`;
      const { rows } = await selection(startsAt(now), condition).execute(kysely);
      return rows[0] === undefined ? null : fromRow(rows[0], now);
    },
    ...budgetWrites({ kysely, dialect }),
  };
}

function budgetWrites({ kysely, dialect }: Pick<Database, "kysely" | "dialect">) {
  return {
    /**
     * Inserts a budget with what the runs of its current period have spent and reserved. The commit fails with `conflict` when there
     * is one of that name.
     */
    insertions(budget: Budget): readonly Write[] {
      const query = kysely.insertInto("budgets").values(toRow(budget));
      return [
        createWrite("budgets", query.onConflict((conflict) => conflict.doNothing()).compile(), 1),
        createWrite("budget_periods", firstPeriod(dialect, budget).compile(kysely)),
      ];
    },
    /** Sets the limits of a budget. The commit fails with `conflict` when the stored budget differs from `before`. */
    replacement(before: Budget, after: BudgetLimits): Write {
      const query = kysely.updateTable("budgets").set(limitColumns(after));
      return createWrite("budgets", query.where(isUnchanged(toRow(before))).compile(), 1);
    },
    /** The commit fails with `conflict` when the stored budget differs. */
    removal(budget: Budget): Write {
      const query = kysely.deleteFrom("budgets").where(isUnchanged(toRow(budget)));
      return createWrite("budgets", query.compile(), 1);
    },
    /** Marks that the audit log has that a soft limit was reached. The commit fails with `conflict` when it is marked already. */
    marking({ teamId, subjectId, period, startTime }: BudgetStatus): Write {
      const query = kysely
        .updateTable("budget_periods")
        .set({ warned: 1 })
        .where("subject_id", "=", subjectId)
        .where("team_id", "=", teamId)
        .where("period", "=", period)
        .where("start_time", "=", startTime)
        .where("warned", "=", 0);
      return createWrite("budget_periods", query.compile(), 1);
    },
  };
}

/** Amounts of money are read as text: sums over years exceed the safe integers of JavaScript. */
function selection(starts: Starts, condition: RawBuilder<unknown>): RawBuilder<StatusRow> {
  return sql<StatusRow>`
    select budget.subject_id, budget.team_id, budget.period, subject, hard_ticks, soft_ticks, hard_tokens, soft_tokens,
      create_time, cast(coalesce(spent_ticks, 0) as text) as spent_ticks, coalesce(spent_tokens, 0) as spent_tokens,
      cast(coalesce(reserved_ticks, 0) as text) as reserved_ticks, coalesce(reserved_tokens, 0) as reserved_tokens,
      coalesce(warned, 0) as warned
    from budgets as budget left join budget_periods as spent on spent.subject_id = budget.subject_id
      and spent.team_id = budget.team_id and spent.period = budget.period
      and spent.start_time = case budget.period when 'day' then cast(${starts.day} as bigint)
        when 'week' then cast(${starts.week} as bigint) when 'month' then cast(${starts.month} as bigint) else 0 end
    where ${condition}`;
}

function prepareOfPrincipal({ kysely }: Pick<Database, "kysely">) {
  type Parameters = Starts & Readonly<Record<"keyId" | "userId" | "teamId", string>>;
  const names = ["keyId", "userId", "teamId", "day", "week", "month"] as const;
  return prepare(kysely, names, ({ keyId, userId, teamId, ...starts }: Parameters) => {
    const ids = sql`(${keyId}, ${userId}, ${teamId})`;
    const rows = selection(starts, sql`budget.subject_id in ${ids} and budget.team_id = ${teamId}`);
    return { compile: () => rows.compile(kysely) };
  });
}

function pageOf(
  { teamId, subjectIds, ownerId, after, limit }: BudgetQuery,
  starts: Starts,
): RawBuilder<StatusRow> {
  const position =
    after === null
      ? sql``
      : sql`and (create_time, budget.subject_id, budget.period) > (${after.createTime}, ${after.subjectId}, ${after.period})`;
  const subject = subjectIds === null ? sql`` : sql`and budget.subject_id in (${sql.join(subjectIds)})`;
  const own =
    ownerId === null
      ? sql``
      : sql`and (subject = 'team' or budget.subject_id = ${ownerId}
          or budget.subject_id in (select id from api_keys where team_id = ${teamId} and user_id = ${ownerId}))`;
  return sql<StatusRow>`${selection(starts, sql`budget.team_id = ${teamId} ${subject} ${own} ${position}`)}
    order by create_time, budget.subject_id, budget.period limit ${limit}`;
}

/**
 * Sums the runs of a budget's current period: those that have ended by the hours of their key or team, which triggers keep with every
 * run, and which are far fewer. A member's are summed one by one: hours do not have who created a key, and the key may be deleted.
 */
function firstPeriod(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { teamId, subject, subjectId, period, createTime } = budget;
  const start = periodStart(period, createTime);
  const end = periodEnd(period, createTime) ?? Number.MAX_SAFE_INTEGER;
  const columns = { key: "api_key_id", member: "user_id", team: "team_id" } as const;
  const isOf = sql`${sql.ref(columns[subject])} = ${subjectId}`;
  const tokens = sql`prompt_tokens + completion_tokens + reasoning_tokens`;
  // Hours are found by the index of keys, not by that of teams.
  const hours = sql`select sum(cost_ticks) as ticks, sum(${tokens}) as tokens from usage_hours
    where ${isOf} and ${dialect.unindexed(sql`team_id`)} = ${teamId} and hour >= ${start} and hour < ${end}`;
  const runs = sql`select sum(ticks) as ticks, sum(tokens) as tokens from (
    select cost_ticks as ticks, case when state = 'interrupted' then 0 else ${tokens} end as tokens from runs
      where ${isOf} and team_id = ${teamId} and start_time >= ${start} and start_time < ${end} and state <> 'running'
    union all
    select cost_ticks, ${tokens} from deleted_runs where ${isOf} and team_id = ${teamId} and hour >= ${start} and hour < ${end}) as used`;
  return sql`
    insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select ${subjectId}, ${teamId}, ${period}, ${start}, coalesce(spent.ticks, 0), coalesce(spent.tokens, 0),
      coalesce(reserved.ticks, 0), coalesce(reserved.tokens, 0)
    from (${subject === "member" ? runs : hours}) as spent, (
      select sum(bound_ticks) as ticks, sum(bound_tokens) as tokens from ${dialect.readBy(sql`runs`, "runs_running")}
      where state = 'running' and ${isOf} and team_id = ${teamId} and start_time >= ${start} and start_time < ${end}
    ) as reserved`;
}

function limitColumns({ hardTicks, softTicks, hardTokens, softTokens }: BudgetLimits) {
  return {
    hard_ticks: hardTicks,
    soft_ticks: softTicks,
    hard_tokens: hardTokens,
    soft_tokens: softTokens,
  };
}

function toRow(budget: Budget): BudgetRow {
  return {
    subject_id: budget.subjectId,
    team_id: budget.teamId,
    period: budget.period,
    subject: budget.subject,
    ...limitColumns(budget),
    create_time: budget.createTime,
  };
}

function fromRow(row: StatusRow, now: number): BudgetStatus {
  return {
    teamId: row.team_id,
    subject: row.subject,
    subjectId: row.subject_id,
    period: row.period,
    hardTicks: row.hard_ticks,
    softTicks: row.soft_ticks,
    hardTokens: row.hard_tokens,
    softTokens: row.soft_tokens,
    createTime: row.create_time,
    startTime: periodStart(row.period, now),
    resetTime: periodEnd(row.period, now),
    spentTicks: BigInt(row.spent_ticks),
    spentTokens: row.spent_tokens,
    reservedTicks: BigInt(row.reserved_ticks),
    reservedTokens: row.reserved_tokens,
    isWarned: row.warned === 1,
  };
}
