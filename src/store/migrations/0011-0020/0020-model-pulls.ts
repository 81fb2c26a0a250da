import type { Migration } from "../migration.js";

/** Adds the downloads of models that the management API started. */
export const modelPulls: Migration = [
  `create table model_pulls (
  id text primary key not null,
  what text not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  actor text not null,
  create_time integer not null,
  end_time integer,
  model_id text,
  error text,
  check ((end_time is null) = (state in ('queued', 'running'))),
  check ((model_id is null) = (state <> 'done')),
  check ((error is null) = (state <> 'failed'))
) strict`,
  `create index model_pulls_by_age on model_pulls (create_time, id)`,
  `create index model_pulls_active on model_pulls (create_time, id) where end_time is null`,
];
