import { sql, type RawBuilder } from "kysely";
import {
  periodEnd,
  periodStart,
  type Budget,
  type BudgetHolder,
  type BudgetLimits,
  type BudgetName,
  type BudgetPeriod,
  type BudgetStatus,
} from "./budget.js";
import { labelSubjects, noLabels, labelSubject } from "../principals/spend-labels.js";
import type { Principal } from "../principals/api-key.js";
import type { Database } from "../../store/database.js";
import type { Row } from "../../store/tables.js";
import { prepare } from "../../store/prepared.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { Dialect } from "../../store/dialect/dialect.js";
import { selectKeysOfOwner } from "../../store/tables/known-keys.js";
import { selectPeriodStart } from "../money/store/period-start.js";

interface StatusRow extends Row<"budgets"> {
  readonly spentTicks: string;
  readonly spentTokens: number;
  readonly reservedTicks: string;
  readonly reservedTokens: number;
  readonly warned: boolean;
}

/** The position of a budget in the order of creation. */
interface BudgetPosition extends BudgetHolder {
  readonly createTime: number;
  readonly period: BudgetPeriod;
}

/** Which budgets of a team are listed. */
export interface BudgetQuery {
  readonly teamId: string;
  /** Only budgets of these keys, members, teams, tags or end users; null = all. */
  readonly of: readonly BudgetHolder[] | null;
  /** Only budgets of this member and of its keys; null = all. */
  readonly ownerId: string | null;
  /** The page starts after this budget; null = at the first one. */
  readonly after: BudgetPosition | null;
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
export function createBudgetStore(database: Database) {
  const { kysely, reports } = database;
  const ofPrincipal = prepareOfPrincipal(database);
  return {
    /**
     * Returns the budgets that hold for the requests of a key, in the period of `now`. It runs on every request: look-ups by primary
     * key.
     */
    async of({ key, team, labels = noLabels }: Principal, now: number): Promise<readonly BudgetStatus[]> {
      const ids = JSON.stringify([key.id, key.userId, team.id, ...labelSubjects(labels)]);
      const { rows } = await ofPrincipal({ ids, teamId: team.id, ...startsAt(now) });
      return rows.map((row) => fromRow(row, now));
    },
    /** Sums the hours from `from` on, in milliseconds since the epoch. */
    async keySpending(keyId: string, from: number): Promise<KeySpending> {
      const { rows } = await sql<{ runs: number; ticks: string; tokens: number }>`
        select coalesce(sum(runs), 0) as runs, cast(coalesce(sum(cost_ticks), 0) as text) as ticks,
          coalesce(sum(prompt_tokens + completion_tokens + reasoning_tokens), 0) as tokens
        from usage_hours where api_key_id = ${keyId} and hour >= ${from}`.execute(reports);
      const { runs, ticks, tokens } = rows[0] ?? { runs: 0, ticks: "0", tokens: 0 };
      return { runs, spentTicks: BigInt(ticks), spentTokens: tokens };
    },
    /** Returns budgets in order of creation, in the period of `now`. */
    async page(query: BudgetQuery, now: number): Promise<readonly BudgetStatus[]> {
      const { rows } = await selectPage(query, startsAt(now)).execute(reports);
      return rows.map((row) => fromRow(row, now));
    },
    /** Returns a budget; null when it does not exist. */
    async find(name: BudgetName, now: number): Promise<BudgetStatus | null> {
      const condition = sql`budget.subject_id = ${storedId(name)} and budget.subject = ${name.subject}
        and budget.team_id = ${name.teamId} and budget.period = ${name.period}`;
      const { rows } = await selection(startsAt(now), condition).execute(kysely);
      return rows[0] === undefined ? null : fromRow(rows[0], now);
    },
    ...otherReads(database),
    ...budgetWrites(database),
  };
}

function otherReads({ kysely, reports }: Database) {
  return {
    /** Returns budgets with a limit that is reached in the period of `now`. */
    async reached(now: number, limit: number): Promise<readonly BudgetStatus[]> {
      const isReached = sql`spent_ticks >= soft_ticks or spent_ticks >= hard_ticks
        or spent_tokens >= soft_tokens or spent_tokens >= hard_tokens`;
      const { rows } = await sql<StatusRow>`${selection(startsAt(now), isReached)} limit ${limit}`.execute(
        reports,
      );
      return rows.map((row) => fromRow(row, now));
    },
    /** Returns how many budgets of tags and end users a team has. */
    async countLabels(teamId: string): Promise<number> {
      const { rows } = await sql<{ count: number }>`select count(*) as count from budgets
        where team_id = ${teamId} and subject in ('tag', 'user')`.execute(kysely);
      return rows[0]?.count ?? 0;
    },
  };
}

function budgetWrites({ kysely, dialect }: Database) {
  return {
    /**
     * Inserts a budget with what the runs of its current period have spent and reserved. The commit fails with `conflict` when there
     * is one of that name.
     */
    insertions(budget: Budget): readonly Write[] {
      const query = kysely.insertInto("budgets").values(toRow(budget));
      return [
        createWrite("budgets", query.onConflict((conflict) => conflict.doNothing()).compile(), 1),
        createWrite("budgetPeriods", firstPeriod(dialect, budget).compile(kysely)),
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
    marking(status: BudgetStatus): Write {
      const { teamId, period, startTime } = status;
      const query = kysely
        .updateTable("budgetPeriods")
        .set({ warned: true })
        .where("subjectId", "=", storedId(status))
        .where("teamId", "=", teamId)
        .where("period", "=", period)
        .where("startTime", "=", startTime)
        .where("warned", "=", false);
      return createWrite("budgetPeriods", query.compile(), 1);
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

function prepareOfPrincipal({ kysely, dialect }: Database) {
  type Parameters = Starts & Readonly<Record<"ids" | "teamId", string>>;
  const names = ["ids", "teamId", "day", "week", "month"] as const;
  return prepare(kysely, names, ({ ids, teamId, ...starts }: Parameters) => {
    const isOne = sql`budget.subject_id in ${dialect.selectStrings(ids)}`;
    const rows = selection(starts, sql`${isOne} and budget.team_id = ${teamId}`);
    return { compile: () => rows.compile(kysely) };
  });
}

function selectPage(
  { teamId, of, ownerId, after, limit }: BudgetQuery,
  starts: Starts,
): RawBuilder<StatusRow> {
  const position =
    after === null
      ? sql``
      : sql`and (create_time, budget.subject_id, budget.period) > (${after.createTime}, ${storedId(after)}, ${after.period})`;
  const subject = of === null ? sql`` : sql`and budget.subject_id in (${sql.join(of.map(storedId))})`;
  const own =
    ownerId === null
      ? sql``
      : sql`and (subject = 'team' or budget.subject_id = ${ownerId}
          or budget.subject_id in (select id from api_keys where team_id = ${teamId} and user_id = ${ownerId}))`;
  return sql<StatusRow>`${selection(starts, sql`budget.team_id = ${teamId} ${subject} ${own} ${position}`)}
    order by create_time, budget.subject_id, budget.period limit ${limit}`;
}

function readSubjectId({ subject, subjectId: stored }: StatusRow): string {
  return subject === "tag" || subject === "user" ? stored.slice(subject.length + 1) : stored;
}

function limitColumns({ hardTicks, softTicks, hardTokens, softTokens }: BudgetLimits) {
  return {
    hardTicks,
    softTicks,
    hardTokens,
    softTokens,
  };
}

function toRow(budget: Budget): Row<"budgets"> {
  return {
    subjectId: storedId(budget),
    teamId: budget.teamId,
    period: budget.period,
    subject: budget.subject,
    ...limitColumns(budget),
    createTime: budget.createTime,
  };
}

function fromRow(row: StatusRow, now: number): BudgetStatus {
  return {
    teamId: row.teamId,
    subject: row.subject,
    subjectId: readSubjectId(row),
    period: row.period,
    hardTicks: row.hardTicks,
    softTicks: row.softTicks,
    hardTokens: row.hardTokens,
    softTokens: row.softTokens,
    createTime: row.createTime,
    startTime: periodStart(row.period, now),
    resetTime: periodEnd(row.period, now),
    spentTicks: BigInt(row.spentTicks),
    spentTokens: row.spentTokens,
    reservedTicks: BigInt(row.reservedTicks),
    reservedTokens: row.reservedTokens,
    isWarned: row.warned,
  };
}

/** Returns the id under which a subject is stored. */
function storedId({ subject, subjectId }: BudgetHolder): string {
  return subject === "tag" || subject === "user" ? labelSubject(subject, subjectId) : subjectId;
}

// What is spent and reserved of a budget when it is set.

/**
 * Inserts the sums of the current period of a budget, and of those after it: the clock of another server may be ahead. It inserts earlier
 * ones in which runs are running, too, whose reservations are subtracted when they end.
 */
function firstPeriod(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { teamId, period, createTime } = budget;
  const start = periodStart(period, createTime);
  const selectStart = (time: string) => selectPeriodStart(dialect, period, sql.ref(time));
  return sql`
    insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select ${storedId(budget)}, ${teamId}, ${period}, start_time, sum(ticks), sum(tokens), sum(held_ticks), sum(held_tokens) from (
      select cast(${start} as bigint) as start_time, 0 as ticks, 0 as tokens, 0 as held_ticks, 0 as held_tokens
      union all
      select ${selectStart("used.time")}, ticks, tokens, 0, 0 from (${selectSpent(dialect, budget, start)}) as used
      union all
      select ${selectStart("runs.startTime")}, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
      from ${dialect.readBy(sql`runs`, "runs_running")}
      where state = 'running' and ${matchRuns(dialect, budget)} and team_id = ${teamId}
    ) as counted group by start_time`;
}

const tokens = sql`prompt_tokens + completion_tokens + reasoning_tokens`;

/**
 * Returns a query of the columns `time`, `ticks` and `tokens`: what the runs that have ended have used since `start`, from the sums that
 * triggers keep with every run.
 */
function selectSpent(dialect: Dialect, budget: Budget, start: number): RawBuilder<unknown> {
  const { teamId, subject, subjectId, period } = budget;
  if (subject === "tag" || subject === "user")
    return sql`select hour as time, cost_ticks as ticks, ${tokens} as tokens from
      ${dialect.readBy(sql`usage_label_hours`, "usage_label_hours_by_label")}
      where team_id = ${teamId} and kind = ${subject} and hour >= ${start} and label = ${subjectId}`;
  if (subject === "team" && period === "total")
    return sql`select 0 as time, cost_ticks as ticks, evaluated_tokens + cached_tokens + completion_tokens + reasoning_tokens as tokens
      from usage_months where team_id = ${teamId}`;
  const days = sql`select day as time, cost_ticks as ticks, ${tokens} as tokens from usage_days where day >= ${start}`;
  if (subject === "team") return sql`${days} and team_id = ${teamId}`;
  // SQLite finds the days by the index of keys, not by the index of teams.
  const ofTeam = sql`${dialect.unindexed(sql`team_id`)} = ${teamId}`;
  if (subject === "key") return sql`${days} and api_key_id = ${subjectId} and ${ofTeam}`;
  const keys = selectKeysOfOwner(sql`(${teamId})`, subjectId);
  return sql`${days} and api_key_id in ${keys} and ${ofTeam}
    union all
    select start_time, -cost_ticks, -(${tokens}) from ${dialect.readBy(sql`runs`, "runs_without_user")}
    where user_id is null and api_key_id in ${keys} and ${ofTeam} and start_time >= ${start} and state not in ('running', 'interrupted')
    union all
    select hour, -cost_ticks, -(${tokens}) from ${dialect.readBy(sql`deleted_runs`, "deleted_runs_without_user")}
    where user_id = '' and api_key_id in ${keys} and ${ofTeam} and hour >= ${start} and runs > 0`;
}

function matchRuns(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { subject } = budget;
  if (subject === "tag" || subject === "user")
    return sql`exists (select 1 from run_labels
      where run_id = runs.id and ${storedId(budget)} in ${dialect.selectStrings(sql`run_labels.subjects`)})`;
  const columns = { key: "apiKeyId", member: "userId", team: "teamId" } as const;
  return sql`${sql.ref(columns[subject])} = ${budget.subjectId}`;
}
