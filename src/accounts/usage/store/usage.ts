import { sql } from "kysely";
import { mapInSteps } from "../../../core/report/steps.js";
import type { Database } from "../../../store/database.js";
import type { Scope } from "../../visibility.js";
import type {
  RequestedModel,
  UsageDimension,
  UsageGroup,
  UsageQuery,
  UsageRange,
  UsageRow,
} from "../../money/usage-report.js";
import { selection, type UsageRecord } from "./selection.js";
import { selectUsageTable, within } from "./sources.js";
import { topSelection } from "./top.js";

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Creates the queries of the tables of usage by the hour and by the day, which triggers on the table of runs update. */
export function createUsageStore({ reports, dialect }: Database) {
  return {
    async rows(query: UsageQuery): Promise<readonly UsageRow[]> {
      const { top } = query;
      const found = top === null ? selection(dialect, query) : topSelection(dialect, query, top);
      const { rows } = await found.execute(reports);
      return mapInSteps(rows, (row) => fromRow(row, query.by));
    },
    /** Returns how many runs of the scope that started at `since` or later have failed. */
    async failures({ teamId, ownerId }: Scope, since: number): Promise<number> {
      const ofTeam = teamId === null ? sql`` : sql`and team_id = ${teamId}`;
      const own = ownerId === null ? sql`` : sql`and user_id = ${ownerId}`;
      // The state stands in the text: only so the index of failed runs is used.
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from runs
        where state = 'failed' and start_time >= ${since} ${ofTeam} ${own}`.execute(reports);
      return rows[0]?.count ?? 0;
    },
    /** Returns the models that were requested in that time, in order. */
    async requestedModels(query: UsageRange, limit: number): Promise<readonly RequestedModel[]> {
      const { rows } = await sql<RequestedModel>`
        select distinct model, asked_model as "requestedModel" from ${selectUsageTable({ ...query, by: [] }, "hour")} as used
        where ${within({ ...query, by: [] }, "hour")} order by 1, 2 limit ${limit}`.execute(reports);
      return rows;
    },
  };
}

function fromRow(row: UsageRecord, by: readonly UsageDimension[]): UsageRow {
  return {
    time: row.time,
    group: readGroups(row, by),
    runs: row.runs,
    usage: {
      promptTokens: row.prompt,
      cachedTokens: row.cached,
      imageTokens: row.image,
      completionTokens: row.completion,
      reasoningTokens: row.reasoning,
      images: row.images,
    },
    costTicks: BigInt(row.cost),
    creditTicks: BigInt(row.credit),
    hosted: { runs: row.hostedRuns, tokens: row.hostedTokens, ticks: BigInt(row.hosted) },
  };
}

/** Returns no groups for the sum of those that are not the highest: its ids are null. */
function readGroups(row: UsageRecord, by: readonly UsageDimension[]): readonly UsageGroup[] {
  return by.flatMap((dimension): readonly UsageGroup[] => {
    const [id, name] = [row[`${dimension}Id`], row[`${dimension}Name`]];
    if (id === null) return [];
    return [{ id: String(id), name: name == null ? null : String(name) }];
  });
}
