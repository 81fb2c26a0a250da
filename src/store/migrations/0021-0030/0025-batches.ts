import type { Migration } from "../migration.js";

/**
 * Adds batches and their lines, and the jobs that answer lines. The table of jobs is made again, because SQLite cannot change the check
 * of its column `kind`. `body` and `result` of a line are last because they are long.
 */
export const batches: Migration = [
  `create table jobs_with_batches (
  id text primary key not null,
  kind text not null check (kind in ('deferred-completion', 'background-response', 'batch-line')),
  team_id text not null references teams (id),
  api_key_id text not null,
  endpoint text not null,
  attempts integer not null check (attempts >= 0),
  lease_until integer,
  create_time integer not null,
  body text not null
) strict`,
  `insert into jobs_with_batches select id, kind, team_id, api_key_id, endpoint, attempts, lease_until, create_time, body from jobs`,
  `drop table jobs`,
  `alter table jobs_with_batches rename to jobs`,
  `create index jobs_by_age on jobs (kind, create_time, id, lease_until)`,
  `create index jobs_held on jobs (kind, lease_until) where lease_until is not null`,
  `create index jobs_attempted on jobs (attempts, create_time, id, kind) where attempts > 0`,
  `create table batches (
  id text primary key not null,
  team_id text not null references teams (id),
  api_key_id text not null,
  format text not null check (format in ('openai', 'anthropic')),
  endpoint text not null,
  state text not null check (state in ('validating', 'in_progress', 'finalizing', 'cancelling', 'completed', 'failed', 'expired', 'cancelled')),
  outcome text check (outcome in ('completed', 'expired', 'cancelled')),
  input_file_id text,
  output_file_id text,
  error_file_id text,
  output_expires_ms integer,
  metadata text,
  errors text,
  lines integer not null,
  bytes integer not null,
  next_line integer not null,
  succeeded integer not null,
  errored integer not null,
  dropped integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  create_time integer not null,
  expire_time integer not null,
  start_time integer,
  finalize_time integer,
  cancel_time integer,
  end_time integer
) strict`,
  `create index batches_by_team on batches (team_id, create_time, id)`,
  `create index batches_open on batches (team_id, expire_time) where end_time is null`,
  `create index batches_by_end on batches (end_time) where end_time is not null`,
  `create table batch_lines (
  batch_id text not null references batches (id),
  line integer not null,
  custom_id text not null,
  state text not null check (state in ('waiting', 'queued', 'succeeded', 'errored')),
  body text not null,
  result text,
  primary key (batch_id, line),
  check ((result is null) = (state in ('waiting', 'queued')))
) strict`,
  `create index batch_lines_queued on batch_lines (batch_id) where state = 'queued'`,
];
