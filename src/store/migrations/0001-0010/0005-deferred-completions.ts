import type { Migration } from "../migration.js";

/** Adds the results of deferred completions, stored until they are read or expire. `outcome` is the response or the error. */
export const deferredCompletions: Migration = [
  `create table deferred_completions (
  id text primary key not null,
  team_id text not null references teams (id),
  state text not null check (state in ('pending', 'done', 'failed')),
  create_time integer not null,
  expire_time integer,
  outcome text,
  check ((state = 'pending') = (expire_time is null)),
  check ((state = 'pending') = (outcome is null))
) strict`,
  `create index deferred_completions_by_expiry on deferred_completions (expire_time) where expire_time is not null`,
];
