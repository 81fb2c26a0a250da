/**
 * Reports of what was used, by time, key, model or team, and what it would have cost elsewhere. It owns what may be asked for
 * and who sees it; runs are added up by the hour in the store, and no report looks at runs.
 */
import type { Actor } from "../audit/event.js";
import type { HostedPriceStore } from "../money/hosted-price.js";
import type { TeamStore } from "../teams/team.js";
import { noUsage, type Usage } from "../../core/usage.js";
import type { UsageQuery, UsageRow, UsageStore, UsageSums } from "./usage-report.js";
import { hostedRules, type ModelNames } from "../money/hosted-prices.js";
import { invalid } from "../field-rules.js";
import { teamSeen } from "../teams/teams.js";

export interface ReportQuery extends Pick<UsageQuery, "teamId" | "from" | "to" | "unit" | "by" | "order"> {
  /** The models of this server, by whose names hosted prices are found; null = those are not asked for. */
  readonly hosted: readonly ModelNames[] | null;
  /** More are refused. */
  readonly rowsMax: number;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly total: UsageSums;
}

export interface UsageReports {
  /**
   * What was used, in order; an hour counts where it begins.
   * @throws HearthError `not_found` when there is no such team, or the actor does not see it; `invalid_value` when the report
   * would have too many rows, or its time ends before it begins.
   */
  report(query: ReportQuery, actor: Actor): Promise<UsageReport>;
}

export interface UsageDeps {
  readonly usage: UsageStore;
  readonly teams: TeamStore;
  readonly hostedPrices: HostedPriceStore;
}

/** Names of models that one report tells apart to price them. */
const askedMax = 10_000;

/** Builds the reports over their ports. */
export function createUsageReports(deps: UsageDeps): UsageReports {
  return {
    async report(query, actor) {
      const rows = await rowsOf(deps, query, actor, query.rowsMax + 1);
      if (rows.length > query.rowsMax)
        throw invalid("to", `is too far: the report would have more than ${query.rowsMax} rows`);
      return { rows, total: totalOf(rows) };
    },
  };
}

async function rowsOf(
  deps: UsageDeps,
  { hosted, rowsMax: _, ...query }: ReportQuery,
  actor: Actor,
  limit: number,
): Promise<readonly UsageRow[]> {
  if (query.to <= query.from) throw invalid("to", "must be after from");
  const teamId = query.teamId ?? actor.teamId;
  if (teamId !== null) await teamSeen(deps.teams, teamId, actor);
  const rules = hosted === null ? [] : await rulesFor(deps, { ...query, teamId }, hosted);
  return deps.usage.rows({ ...query, teamId, hosted: rules, limit });
}

async function rulesFor(
  { usage, hostedPrices }: UsageDeps,
  range: Pick<UsageQuery, "teamId" | "from" | "to">,
  models: readonly ModelNames[],
) {
  const asked = await usage.asked(range, askedMax);
  return hostedRules(asked, await hostedPrices.list(), models);
}

function totalOf(rows: readonly UsageSums[]): UsageSums {
  return rows.reduce<UsageSums>(
    (total, row) => ({
      runs: total.runs + row.runs,
      usage: addedUsage(total.usage, row.usage),
      costTicks: total.costTicks + row.costTicks,
      creditTicks: total.creditTicks + row.creditTicks,
      hosted: {
        runs: total.hosted.runs + row.hosted.runs,
        tokens: total.hosted.tokens + row.hosted.tokens,
        ticks: total.hosted.ticks + row.hosted.ticks,
      },
    }),
    nothing,
  );
}

function addedUsage(one: Usage, other: Usage): Usage {
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    imageTokens: one.imageTokens + other.imageTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}

const nothing: UsageSums = {
  runs: 0,
  usage: noUsage,
  costTicks: 0n,
  creditTicks: 0n,
  hosted: { runs: 0, tokens: 0, ticks: 0n },
};
