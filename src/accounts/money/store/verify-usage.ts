/** Checks for verify-ledger.ts that the sums maintained by triggers equal the sums of the runs themselves. */
import { sql, type RawBuilder } from "kysely";

/** The sums of a row of usage, in order. */
const hourSums = sql`runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens,
  cost_ticks, credit_ticks, images`;

const none = sql`json_array(0, 0, 0, 0, 0, 0, 0, 0, 0)`;

/** The sums of a row of a month's usage, in order. */
const monthSums = sql`evaluated_tokens, cached_tokens, completion_tokens, reasoning_tokens, images, cost_ticks,
  credit_ticks`;

const noneOfMonth = sql`json_array(0, 0, 0, 0, 0, 0, 0)`;

/** Each query returns a sentence for each problem. */
export const usageChecks: readonly RawBuilder<{ readonly problem: string }>[] = [
  sql`select 'the usage of team ' || team_id || ', model ' || model || ' requested as ' || asked_model || ', key '
      || api_key_id || ' in the hour of ' || strftime('%Y-%m-%dT%H:%MZ', hour / 1000, 'unixepoch') || ' is stored as '
      || coalesce(kept.sums, ${none}) || ' but its runs add up to ' || coalesce(added.sums, ${none}) as problem
    from (
      select team_id, hour, model, asked_model, api_key_id, json_array(${hourSums}) as sums from usage_hours
    ) as kept full join (
      select team_id, start_time - start_time % 3600000 as hour, model, coalesce(asked_model, model) as asked_model,
        api_key_id, json_array(count(*), sum(prompt_tokens), sum(cached_tokens), sum(image_tokens),
          sum(completion_tokens), sum(reasoning_tokens), sum(cost_ticks),
          sum(iif(reserved_ticks is null, 0, cost_ticks)), sum(images)) as sums
      from runs where state not in ('running', 'interrupted') group by 1, 2, 3, 4, 5
    ) as added using (team_id, hour, model, asked_model, api_key_id)
    where kept.sums is not added.sums`,
  sql`select 'the usage of team ' || team_id || ', model ' || model || ' in the month ' || month || ' is stored as '
      || coalesce(kept.sums, ${noneOfMonth}) || ' but its runs add up to ' || coalesce(added.sums, ${noneOfMonth}) as problem
    from (
      select team_id, month, model, price_id, image_ticks, json_array(${monthSums}) as sums from usage_months
    ) as kept full join (
      select team_id, cast(strftime('%Y%m', start_time / 1000, 'unixepoch') as integer) as month, model,
        coalesce(price_id, 0) as price_id, image_ticks, json_array(sum(prompt_tokens - cached_tokens),
          sum(cached_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(images), sum(cost_ticks),
          sum(iif(reserved_ticks is null, 0, cost_ticks))) as sums
      from runs where state not in ('running', 'interrupted') group by 1, 2, 3, 4, 5
    ) as added using (team_id, month, model, price_id, image_ticks)
    where kept.sums is not added.sums`,
  sql`select 'team ' || team_id || ' is stored with ' || coalesce(kept.charged, 0) || ' spent and '
      || coalesce(kept.held, 0) || ' reserved in the month ' || month || ', but its runs of that month add up to '
      || coalesce(added.charged, 0) || ' and ' || coalesce(added.held, 0) as problem
    from (
      select team_id, month, charged_ticks as charged, reserved_ticks as held from team_months
    ) as kept full join (
      select team_id, cast(strftime('%Y%m', start_time / 1000, 'unixepoch') as integer) as month,
        sum(iif(state = 'running', 0, cost_ticks)) as charged,
        sum(iif(state = 'running', coalesce(reserved_ticks, 0), 0)) as held
      from runs group by 1, 2
    ) as added using (team_id, month)
    where (coalesce(kept.charged, 0), coalesce(kept.held, 0))
      <> (coalesce(added.charged, 0), coalesce(added.held, 0))`,
];
