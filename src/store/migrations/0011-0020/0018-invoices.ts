import type { Migration } from "../migration.js";

const month = (run: string): string =>
  `cast(strftime('%Y%m', ${run}.start_time / 1000, 'unixepoch') as integer)`;

const hourSums = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cost_ticks",
  "credit_ticks",
  "images",
] as const;

const monthSums = [
  "evaluated_tokens",
  "cached_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "images",
  "cost_ticks",
  "credit_ticks",
] as const;

/**
 * Adds the number of generated images to the usage of an hour, and the usage of a month by model and prices, from which invoices are
 * made. `price_id` is 0 for runs older than the price book. `evaluated_tokens` are the prompt tokens that were not cached. Of the
 * spending limits only the hard one rejects a reservation: the soft one bounds use beyond prepaid credit, and a reservation is taken
 * from prepaid credit.
 */
export const invoices: Migration = [
  `drop trigger runs_begun_are_counted`,
  `create trigger runs_begun_are_counted after insert on runs
when new.reserved_ticks > 0 or (new.state <> 'running' and new.cost_ticks > 0) begin
  insert into team_months values (
    new.team_id, ${month("new")}, iif(new.state = 'running', 0, new.cost_ticks),
    iif(new.state = 'running', new.reserved_ticks, 0))
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = ${month("new")}
    where bound.team_id = new.team_id and new.state = 'running'
    and charged_ticks + reserved_ticks > hard_ticks;
end`,
  `alter table usage_hours add column images integer not null default 0`,
  `update usage_hours set images = made.images from (
  select team_id, start_time - start_time % 3600000 as hour, model, coalesce(asked_model, model) as asked_model,
    api_key_id, sum(images) as images
  from runs where images > 0 and state not in ('running', 'interrupted') group by 1, 2, 3, 4, 5
) as made where (usage_hours.team_id, usage_hours.hour, usage_hours.model, usage_hours.asked_model, usage_hours.api_key_id)
  = (made.team_id, made.hour, made.model, made.asked_model, made.api_key_id)`,
  `create table usage_months (
  team_id text not null,
  month integer not null check (month % 100 between 1 and 12),
  model text not null,
  price_id integer not null,
  image_ticks integer not null,
  ${monthSums.map((sum) => `${sum} integer not null`).join(",\n  ")},
  primary key (team_id, month, model, price_id, image_ticks)
) strict, without rowid`,
  `insert into usage_months
  select team_id, ${month("runs")}, model, coalesce(price_id, 0), image_ticks, sum(prompt_tokens - cached_tokens),
    sum(cached_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(images), sum(cost_ticks),
    sum(iif(reserved_ticks is null, 0, cost_ticks))
  from runs where state not in ('running', 'interrupted') group by 1, 2, 3, 4, 5`,
  `drop trigger runs_ended_are_rolled_up`,
  `drop trigger runs_are_rolled_up`,
  rollUp("runs_ended_are_rolled_up", "insert", ""),
  rollUp("runs_are_rolled_up", "update of state", "old.state = 'running' and "),
];

function rollUp(name: string, event: string, condition: string): string {
  const added = (sums: readonly string[]): string =>
    sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(",\n    ");
  return `create trigger ${name} after ${event} on runs
when ${condition}new.state not in ('running', 'interrupted') begin
  insert into usage_hours values (
    new.team_id, new.start_time - new.start_time % 3600000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    ${added(hourSums)};
  insert into usage_months values (
    new.team_id, ${month("new")}, new.model, coalesce(new.price_id, 0), new.image_ticks,
    new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
    new.images, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks))
  on conflict do update set
    ${added(monthSums)};
end`;
}
