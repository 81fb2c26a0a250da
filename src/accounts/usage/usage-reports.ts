/**
 * Reports usage by time, key, model or team, and what it would have cost at hosted prices. Reports read hourly sums, never
 * single runs.
 */
import type { Actor } from "../audit/event.js";
import type { HostedPriceStore } from "../money/store/hosted-prices.js";
import type { LabelKind } from "../principals/spend-labels.js";
import type { TeamStore } from "../teams/store.js";
import { forEachInSteps } from "../../core/report/steps.js";
import { noUsage, type Usage } from "../../core/usage.js";
import type { UsageStore } from "./store/usage.js";
import type { UsageDimension, UsageQuery, UsageRange, UsageRow, UsageSums } from "../money/usage-report.js";
import { hostedRules, type ComparedModel } from "../money/hosted-prices.js";
import { invalid } from "../field-rules.js";
import { findScope } from "../teams/teams.js";

interface ReportQuery extends Omit<UsageQuery, "ownerId" | "hosted" | "limit"> {
  /** The models of this server, whose names find the hosted prices; null = report no hosted costs. */
  readonly hosted: readonly ComparedModel[] | null;
  /** A report with more rows is refused. */
  readonly rowsMax: number;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  /** Counts every run once, also one with several tags or with none. */
  readonly total: UsageSums;
}

export type UsageReports = ReturnType<typeof createUsageReports>;

interface UsageDeps {
  readonly usage: UsageStore;
  readonly teams: TeamStore;
  readonly hostedPrices: HostedPriceStore;
}

/** Requested models that one report prices. */
const requestedModelsMax = 10_000;

export function createUsageReports(deps: UsageDeps) {
  return {
    /**
     * Returns the usage, in order; an hour belongs to the time in which it starts. An actor that sees only API keys of their own gets
     * the usage of these.
     * @throws HearthError `not_found` when the team does not exist or the actor cannot see it; `invalid_value` when the report
     * would have too many rows, or its time ends before it starts.
     */
    async report(query: ReportQuery, actor: Actor): Promise<UsageReport> {
      checkLabels(query);
      const rows = await readRows(deps, query, actor, query.rowsMax + 1);
      if (rows.length > query.rowsMax)
        throw invalid("to", `is too far: the report would have more than ${query.rowsMax} rows`);
      const isOverlapping = query.label === null && query.by.some(isLabelKind);
      if (!isOverlapping) return { rows, total: await sumRows(rows) };
      const all = { ...query, by: [], unit: null, top: null };
      return { rows, total: await sumRows(await readRows(deps, all, actor, 1)) };
    },
    /**
     * Returns how many runs that started at `since` or later have failed, of those that the actor gets the usage of.
     * @param teamId null: of every team that the actor can see
     * @throws HearthError `not_found` as `report` does.
     */
    async failures(teamId: string | null, since: number, actor: Actor): Promise<number> {
      return deps.usage.failures(await findScope(deps.teams, teamId, actor), since);
    },
  };
}

function isLabelKind(dimension: UsageDimension): dimension is LabelKind {
  return dimension === "tag" || dimension === "user";
}

/** @throws HearthError `invalid_value` for a report over labels of both kinds, whose sums are not stored. */
function checkLabels({ by, label }: ReportQuery): void {
  const kinds = [...by.filter(isLabelKind), ...(label === null ? [] : [label.kind])];
  if (new Set(kinds).size > 1) throw invalid("groupBy", "cannot combine tags with end users");
}

async function readRows(
  deps: UsageDeps,
  { hosted, rowsMax: _, ...query }: ReportQuery,
  actor: Actor,
  limit: number,
): Promise<readonly UsageRow[]> {
  if (query.to <= query.from) throw invalid("to", "must be after from");
  const seen = { ...query, ...(await findScope(deps.teams, query.teamId, actor)) };
  const rules = hosted === null ? [] : await rulesFor(deps, seen, hosted);
  return deps.usage.rows({ ...seen, hosted: rules, limit });
}

async function rulesFor(
  { usage, hostedPrices }: UsageDeps,
  range: UsageRange,
  models: readonly ComparedModel[],
) {
  const requested = await usage.requestedModels(range, requestedModelsMax);
  return hostedRules(requested, await hostedPrices.list(), models);
}

async function sumRows(rows: readonly UsageSums[]): Promise<UsageSums> {
  let total = noSums;
  await forEachInSteps(rows, (row) => void (total = added(total, row)));
  return total;
}

function added(total: UsageSums, row: UsageSums): UsageSums {
  return {
    runs: total.runs + row.runs,
    usage: addUsage(total.usage, row.usage),
    costTicks: total.costTicks + row.costTicks,
    creditTicks: total.creditTicks + row.creditTicks,
    hosted: {
      runs: total.hosted.runs + row.hosted.runs,
      tokens: total.hosted.tokens + row.hosted.tokens,
      ticks: total.hosted.ticks + row.hosted.ticks,
    },
  };
}

function addUsage(one: Usage, other: Usage): Usage {
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    imageTokens: one.imageTokens + other.imageTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    images: (one.images ?? 0) + (other.images ?? 0),
  };
}

const noSums: UsageSums = {
  runs: 0,
  usage: noUsage,
  costTicks: 0n,
  creditTicks: 0n,
  hosted: { runs: 0, tokens: 0, ticks: 0n },
};
