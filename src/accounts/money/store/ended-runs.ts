import { sql, type RawBuilder } from "kysely";

/**
 * A table of what ended runs have used and cost, for queries that add it up: a row for each run in the table of runs, and one for all
 * deleted runs of an hour that have the same team, model, key, user and price. `hour` is the start of the hour in which they started.
 */
export const endedRuns: RawBuilder<unknown> = sql`(
  select team_id, start_time - start_time % 3600000 as hour, model, coalesce(asked_model, model) as asked_model, api_key_id,
    coalesce(user_id, '') as user_id, coalesce(price_id, 0) as price_id, image_ticks, 1 as runs, prompt_tokens, cached_tokens,
    image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks,
    case when reserved_ticks is null then 0 else cost_ticks end as credit_ticks
  from runs where state not in ('running', 'interrupted')
  union all
  select team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks, runs, prompt_tokens, cached_tokens,
    image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks
  from deleted_runs where runs > 0) as ended_run`;
