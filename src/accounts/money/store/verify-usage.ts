/** Checks for verify-ledger.ts that the sums maintained by triggers equal the sums of the runs themselves, deleted ones included. */
import { sql, type RawBuilder } from "kysely";
import { dayMs, hourMs } from "../../usage/usage-report.js";
import { endedRuns } from "./ended-runs.js";

/** The month in which a time lies, such as 202611. */
const monthOf = (time: RawBuilder<unknown>) =>
  sql`cast(strftime('%Y%m', ${time} / 1000, 'unixepoch') as integer)`;

/** The sums of a row of usage, in order. */
const unitSums = sql`runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens,
  cost_ticks, credit_ticks, images`;

const none = sql`json_array(0, 0, 0, 0, 0, 0, 0, 0, 0)`;

/** The sums of a row of a month's usage, in order. */
const monthSums = sql`evaluated_tokens, cached_tokens, completion_tokens, reasoning_tokens, images, cost_ticks,
  credit_ticks`;

const noneOfMonth = sql`json_array(0, 0, 0, 0, 0, 0, 0)`;

/** The usage of hours, or of days (UTC). @param name of the time in the sentence. @param format of the time there */
function usageCheck(
  unit: "hour" | "day",
  unitMs: number,
  name: string,
  format: string,
): RawBuilder<{ readonly problem: string }> {
  return sql`select 'the usage of team ' || team_id || ', model ' || model || ' requested as ' || asked_model || ', key '
      || api_key_id || ${sql.lit(` ${name} `)} || strftime(${sql.lit(format)}, start / 1000, 'unixepoch')
      || ' is stored as ' || coalesce(kept.sums, ${none}) || ' but its runs add up to '
      || coalesce(added.sums, ${none}) as problem
    from (
      select team_id, ${sql.ref(unit)} as start, model, asked_model, api_key_id, json_array(${unitSums}) as sums
      from ${sql.table(`usage_${unit}s`)}
    ) as kept full join (
      select team_id, hour - hour % ${sql.lit(unitMs)} as start, model, asked_model, api_key_id,
        json_array(sum(runs), sum(prompt_tokens), sum(cached_tokens), sum(image_tokens), sum(completion_tokens),
          sum(reasoning_tokens), sum(cost_ticks), sum(credit_ticks), sum(images)) as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5
    ) as added using (team_id, start, model, asked_model, api_key_id)
    where kept.sums is not added.sums`;
}

/** Each query returns a sentence for each problem. */
export const usageChecks: readonly RawBuilder<{ readonly problem: string }>[] = [
  usageCheck("hour", hourMs, "in the hour of", "%Y-%m-%dT%H:%MZ"),
  usageCheck("day", dayMs, "on the day", "%Y-%m-%d"),
  sql`select 'the usage of team ' || team_id || ', model ' || model || ' in the month ' || month || ' is stored as '
      || coalesce(kept.sums, ${noneOfMonth}) || ' but its runs add up to ' || coalesce(added.sums, ${noneOfMonth}) as problem
    from (
      select team_id, month, model, price_id, image_ticks, json_array(${monthSums}) as sums from usage_months
    ) as kept full join (
      select team_id, ${monthOf(sql`hour`)} as month, model, price_id, image_ticks,
        json_array(sum(prompt_tokens - cached_tokens), sum(cached_tokens), sum(completion_tokens),
          sum(reasoning_tokens), sum(images), sum(cost_ticks), sum(credit_ticks)) as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5
    ) as added using (team_id, month, model, price_id, image_ticks)
    where kept.sums is not added.sums`,
  sql`select 'team ' || team_id || ' is stored with ' || coalesce(kept.charged, 0) || ' spent and '
      || coalesce(kept.held, 0) || ' reserved in the month ' || month || ', but its runs of that month add up to '
      || coalesce(added.charged, 0) || ' and ' || coalesce(added.held, 0) as problem
    from (
      select team_id, month, charged_ticks as charged, reserved_ticks as held from team_months
    ) as kept full join (
      select team_id, month, sum(charged) as charged, sum(held) as held from (
        select team_id, ${monthOf(sql`hour`)} as month, cost_ticks as charged, 0 as held from ${endedRuns}
        union all
        select team_id, ${monthOf(sql`start_time`)}, 0, coalesce(reserved_ticks, 0) from runs where state = 'running'
      ) group by 1, 2
    ) as added using (team_id, month)
    where (coalesce(kept.charged, 0), coalesce(kept.held, 0))
      <> (coalesce(added.charged, 0), coalesce(added.held, 0))`,
];
