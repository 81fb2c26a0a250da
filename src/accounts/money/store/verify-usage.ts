/** Checks for verify-ledger.ts that the sums maintained by triggers equal the sums of the runs themselves, deleted ones included. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { dayMs, hourMs } from "../usage-report.js";
import { selectDifferences } from "./compared.js";
import { endedRuns } from "./ended-runs.js";
import { joinNumbers } from "./join-numbers.js";

/** The sums of a row of usage, in order. */
const unitColumns = [
  ...["runs", "promptTokens", "cachedTokens", "imageTokens", "completionTokens", "reasoningTokens"],
  ...["costTicks", "creditTicks", "images"],
].map((name) => sql.ref(name));

const sumColumn = (column: RawBuilder<unknown>) => sql`sum(${column})`;

const none = joinNumbers(...unitColumns.map(() => sql`0`));

/** The sums of a row of a month's usage, in order. */
const monthColumns = [
  ...["evaluatedTokens", "cachedTokens", "completionTokens", "reasoningTokens", "images"],
  ...["costTicks", "creditTicks"],
].map((name) => sql.ref(name));

const addedOfMonth = [sql`prompt_tokens - cached_tokens`, ...monthColumns.slice(1)].map(sumColumn);

const noneOfMonth = joinNumbers(...monthColumns.map(() => sql`0`));

/** The columns of `selectDifferences` in a sentence: what is stored, and what its runs add up to. */
const storedAndAdded = (absent: RawBuilder<unknown>) =>
  sql`' is stored as ' || coalesce(kept_sums, ${absent}) || ' but its runs add up to ' || coalesce(added_sums, ${absent})`;

/** Checks the usage of hours, or of days (UTC). @param named which one it is, in the sentence */
function unitCheck(
  unit: "hour" | "day",
  unitMs: number,
  named: RawBuilder<unknown>,
): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "start", "model", "askedModel", "apiKeyId"],
    values: ["sums"],
    kept: sql`select team_id, ${sql.ref(unit)} as start, model, asked_model, api_key_id, ${joinNumbers(...unitColumns)} as sums
      from ${sql.table(`usage_${unit}s`)}`,
    added: sql`select team_id, hour - hour % ${sql.lit(unitMs)} as start, model, asked_model, api_key_id,
        ${joinNumbers(...unitColumns.map(sumColumn))} as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5`,
    absent: null,
  });
  return sql`select 'the usage of team ' || team_id || ', model ' || model || ' requested as ' || asked_model || ', key '
      || api_key_id || ${named} || ${storedAndAdded(none)} as problem
    from ${differences}`;
}

function monthCheck({ toMonth }: Dialect): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "month", "model", "priceId", "imageTicks"],
    values: ["sums"],
    kept: sql`select team_id, month, model, price_id, image_ticks, ${joinNumbers(...monthColumns)} as sums from usage_months`,
    added: sql`select team_id, ${toMonth(sql`hour`)} as month, model, price_id, image_ticks,
        ${joinNumbers(...addedOfMonth)} as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5`,
    absent: null,
  });
  return sql`select 'the usage of team ' || team_id || ', model ' || model || ' in the month ' || month
      || ${storedAndAdded(noneOfMonth)} as problem
    from ${differences}`;
}

function teamMonthCheck({ toMonth }: Dialect): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "month"],
    values: ["charged", "held"],
    kept: sql`select team_id, month, charged_ticks as charged, reserved_ticks as held from team_months`,
    added: sql`select team_id, month, sum(charged) as charged, sum(held) as held from (
        select team_id, ${toMonth(sql`hour`)} as month, cost_ticks as charged, 0 as held from ${endedRuns}
        union all
        select team_id, ${toMonth(sql`start_time`)}, 0, coalesce(reserved_ticks, 0) from runs where state = 'running'
      ) as counted group by 1, 2`,
    absent: sql`0`,
  });
  return sql`select 'team ' || team_id || ' is stored with ' || kept_charged || ' spent and ' || kept_held
      || ' reserved in the month ' || month || ', but its runs of that month add up to ' || added_charged || ' and '
      || added_held as problem
    from ${differences}`;
}

/** Returns queries; each returns a sentence for each problem. */
export const createUsageChecks = (dialect: Dialect): readonly RawBuilder<{ readonly problem: string }>[] => [
  unitCheck("hour", hourMs, sql`' in the hour of ' || ${dialect.timeText(sql`start`)}`),
  unitCheck("day", dayMs, sql`' on the day ' || substr(${dialect.timeText(sql`start`)}, 1, 10)`),
  monthCheck(dialect),
  teamMonthCheck(dialect),
];
