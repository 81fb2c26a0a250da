import type { Migration } from "./migration.js";

/** What came of deferred completions, kept until it is read or expires. `outcome` is the answer of one that is done. */
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
