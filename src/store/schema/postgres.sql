-- The schema of a PostgreSQL database: everything that a new one gets. Times are milliseconds since the epoch, money is ticks
-- (core/money.ts), flags are 0 or 1.
-- Texts are compared by code points, as in SQLite. A change here needs a migration, too: see ../migrations/README.md.

-- Functions of columns
-- ====================

-- Months and periods of times in milliseconds since the epoch, in UTC; a week starts on Monday, three days before the epoch.
create function month_of(at bigint) returns bigint language sql immutable
  return cast(to_char(to_timestamp(at / 1000) at time zone 'UTC', 'YYYYMM') as bigint);

create function month_start(at bigint) returns bigint language sql immutable
  return cast(extract(epoch from date_trunc('month', to_timestamp(at / 1000) at time zone 'UTC') at time zone 'UTC') as bigint) * 1000;

create function period_start(period text, at bigint) returns bigint language sql immutable
  return case period
    when 'day' then at - at % 86400000
    when 'week' then at - (at + 259200000) % 604800000
    when 'month' then month_start(at)
    else 0 end;

-- The number of the server whose connection it is.
create function this_node() returns bigint language sql stable
  return cast(nullif(current_setting('hearth.node', true), '') as bigint);

-- Teams, keys and members
-- =======================

-- Teams: what they may spend (billing), their share of the scheduler (weight), and which ACLs their keys can have at most.
create table teams (
  id text collate "C" primary key,
  name text collate "C" not null,
  billing text collate "C" not null check (billing in ('prepaid', 'unmetered')),
  blocked bigint not null check (blocked in (0, 1)),
  create_time bigint not null,
  weight bigint not null default 1 check (weight between 1 and 1000),
  acls text collate "C",
  keeps_bodies bigint not null default 0 check (keeps_bodies in (0, 1)),
  name_folded text collate "C"
);
create unique index teams_by_name on teams (name_folded);

-- Rate limits of a team on a model, or on `*` (every model), `total` (all together) or `each-end-user`.
create table team_limits (
  team_id text collate "C" not null references teams (id),
  model text collate "C" not null,
  qps bigint check (qps > 0),
  qpm bigint check (qpm > 0),
  tpm bigint check (tpm > 0),
  primary key (team_id, model),
  check (coalesce(qps, qpm, tpm) is not null)
);

-- Named lists of ACLs. The ACLs of keys and teams name them.
create table access_groups (
  name text collate "C" primary key,
  description text collate "C" not null,
  acls text collate "C" not null,
  create_time bigint not null,
  modify_time bigint not null
);

-- API keys: the hash of a secret, never the secret. `previous_hash` works until `previous_expire_time` after a rotation.
create table api_keys (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null,
  name text collate "C" not null,
  hash bytea not null unique check (length(hash) = 32),
  redacted text collate "C" not null,
  acls text collate "C" not null check (json_typeof(cast(acls as json)) = 'array'),
  disabled bigint not null check (disabled in (0, 1)),
  blocked bigint not null check (blocked in (0, 1)),
  expire_time bigint,
  create_time bigint not null,
  modify_time bigint not null,
  modified_by text collate "C" not null,
  qps bigint check (qps > 0),
  qpm bigint check (qpm > 0),
  tpm bigint check (tpm > 0),
  previous_hash bytea check (length(previous_hash) = 32),
  previous_expire_time bigint check ((previous_expire_time is null) = (previous_hash is null)),
  ip_ranges text collate "C" check (json_typeof(cast(ip_ranges as json)) = 'array'),
  last_use_time bigint,
  end_user_qpm bigint check (end_user_qpm > 0),
  end_user_tpm bigint check (end_user_tpm > 0)
);
create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;
create index api_keys_by_team on api_keys (team_id, create_time, id);

-- What stays of deleted API keys, which usage and the log of requests outlive. A trigger inserts it.
create table removed_keys (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null,
  name text collate "C"
);
create index removed_keys_by_owner on removed_keys (user_id, team_id);

-- Keys of the management API; `team_id` null is the operator's.
create table management_keys (
  id text collate "C" primary key,
  team_id text collate "C" references teams (id),
  user_id text collate "C" not null,
  name text collate "C" not null,
  hash bytea not null unique check (length(hash) = 32),
  redacted text collate "C" not null,
  acls text collate "C" not null check (json_typeof(cast(acls as json)) = 'array'),
  expire_time bigint,
  create_time bigint not null,
  modify_time bigint not null,
  ip_ranges text collate "C" check (json_typeof(cast(ip_ranges as json)) = 'array'),
  last_use_time bigint
);

-- Members of teams; `team_id` null is a member of the whole server. Rows of removed members stay, because the audit log names them.
create table members (
  id text collate "C" primary key,
  team_id text collate "C" references teams (id),
  email text collate "C" not null,
  email_folded text collate "C" not null,
  given_name text collate "C" not null,
  family_name text collate "C" not null,
  role text collate "C" not null check (role in ('owner', 'admin', 'member')),
  create_time bigint not null,
  remove_time bigint
);
create unique index members_by_email on members (email_folded) where remove_time is null;
create index members_by_team on members (team_id, create_time, id) where remove_time is null;

-- How members sign in to the console, and the API key with which their sessions call the models.
create table member_sign_ins (
  member_id text collate "C" primary key references members (id),
  password text collate "C",
  api_key_id text collate "C"
);

-- Who members are for an OpenID Connect provider.
create table member_identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  member_id text collate "C" not null references members (id),
  create_time bigint not null,
  primary key (issuer, subject)
);
create unique index member_identities_by_member on member_identities (member_id, issuer);

-- Links that were not used: each sets a password once. `member_id` null creates the first owner of the server.
create table sign_in_links (
  hash bytea primary key check (length(hash) = 32),
  member_id text collate "C" references members (id),
  expire_time bigint not null
);
create unique index sign_in_links_by_member on sign_in_links (coalesce(member_id, ''));

-- Sign-ins through the provider from which a browser has come back: each works once.
create table used_sign_ins (
  state_hash bytea primary key check (length(state_hash) = 32),
  expire_time bigint not null
);
create index used_sign_ins_by_expiry on used_sign_ins (expire_time);

-- Sessions of the console, by the hash of their secret.
create table console_sessions (
  id text collate "C" primary key,
  hash bytea not null check (length(hash) = 32),
  member_id text collate "C" not null references members (id),
  create_time bigint not null,
  last_use_time bigint not null,
  expire_time bigint not null
);
create unique index console_sessions_by_hash on console_sessions (hash);
create index console_sessions_by_member on console_sessions (member_id, create_time, id);
create index console_sessions_by_expiry on console_sessions (expire_time);

-- The audit log. It is append-only.
create table audit_events (
  entry bigint generated by default as identity primary key,
  id text collate "C" not null unique,
  time bigint not null,
  actor text collate "C" not null,
  user_id text collate "C" not null,
  team_id text collate "C",
  act text collate "C" not null,
  object_id text collate "C" not null,
  description text collate "C" not null,
  object_before text collate "C" check (json_typeof(cast(object_before as json)) = 'object'),
  object_after text collate "C" check (json_typeof(cast(object_after as json)) = 'object')
);
create index audit_events_by_time on audit_events (time, entry);
create index audit_events_by_team on audit_events (team_id, time, entry);

-- Prices, runs and what was said of them
-- ======================================

-- The prices at which models were charged. The same prices have the same id.
create table price_book (
  id bigint generated by default as identity primary key,
  model text collate "C" not null,
  prompt_text_token_ticks bigint not null check (prompt_text_token_ticks >= 0),
  cached_prompt_text_token_ticks bigint not null check (cached_prompt_text_token_ticks >= 0),
  completion_text_token_ticks bigint not null check (completion_text_token_ticks >= 0),
  create_time bigint not null,
  unique (model, prompt_text_token_ticks, cached_prompt_text_token_ticks, completion_text_token_ticks)
);

-- What hosted models cost elsewhere, for comparison; the highest id of an alias holds.
create table hosted_prices (
  id bigint generated by default as identity primary key,
  alias text collate "C" not null,
  prompt_ticks bigint not null check (prompt_ticks >= 0),
  cached_ticks bigint not null check (cached_ticks >= 0),
  completion_ticks bigint not null check (completion_ticks >= 0),
  create_time bigint not null
);
create index hosted_prices_by_alias on hosted_prices (alias, id);

-- Every run of a model. The columns that may be null and have no comment in the program are unknown for older runs.
create table runs (
  id text collate "C" primary key,
  request_id text collate "C" not null,
  team_id text collate "C" not null references teams (id),
  api_key_id text collate "C" not null,
  model text collate "C" not null,
  endpoint text collate "C" not null,
  state text collate "C" not null check (state in ('running', 'completed', 'aborted', 'failed', 'interrupted')),
  prompt_tokens bigint not null check (prompt_tokens >= 0),
  cached_tokens bigint not null check (cached_tokens between 0 and prompt_tokens),
  image_tokens bigint not null check (image_tokens between 0 and prompt_tokens),
  completion_tokens bigint not null check (completion_tokens >= 0),
  reasoning_tokens bigint not null check (reasoning_tokens >= 0),
  cost_ticks bigint not null check (cost_ticks >= 0),
  start_time bigint not null,
  end_time bigint,
  price_id bigint references price_book (id),
  reserved_ticks bigint check (reserved_ticks >= 0),
  asked_model text collate "C",
  images bigint not null default 0 check (images >= 0),
  image_ticks bigint not null default 0 check (image_ticks >= 0),
  user_id text collate "C",
  bound_ticks bigint check (bound_ticks >= 0),
  bound_tokens bigint check (bound_tokens >= 0),
  create_time bigint,
  streamed bigint check (streamed in (0, 1)),
  first_token_ms bigint check (first_token_ms >= 0),
  finish_reason text collate "C",
  error_kind text collate "C",
  node_id bigint default this_node(),
  check ((state = 'running') = (end_time is null))
);
create index runs_by_team on runs (team_id, start_time);
create index runs_running on runs (state) where state = 'running';
create index runs_by_creation on runs (create_time, id);
create index runs_of_team on runs (team_id, create_time, id);
create index runs_of_key on runs (api_key_id, create_time, id);
create index runs_failed on runs (start_time, team_id) where state = 'failed';
create index runs_without_user on runs (api_key_id) where user_id is null;

-- What clients say of their runs (JSON), and the tags and end users that a run is counted for (a JSON list).
create table run_labels (
  run_id text collate "C" primary key,
  expire_time bigint not null,
  labels text collate "C" not null,
  subjects text collate "C" not null default '[]'
);
create index run_labels_by_expiry on run_labels (expire_time);

-- Sums of the runs of an hour that were deleted, so that the ledger and usage still add up. A trigger updates them.
create table deleted_runs (
  team_id text collate "C" not null,
  hour bigint not null check (hour % 3600000 = 0),
  model text collate "C" not null,
  asked_model text collate "C" not null,
  api_key_id text collate "C" not null,
  user_id text collate "C" not null,
  price_id bigint not null,
  image_ticks bigint not null,
  runs bigint not null,
  charged_runs bigint not null,
  released_runs bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  image_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  images bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  primary key (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks)
);
create index deleted_runs_without_user on deleted_runs (api_key_id) where user_id = '';

-- The labels of a team that are summed by themselves in a month; further ones are summed as `*`.
create table counted_labels (
  team_id text collate "C" not null,
  month bigint not null,
  source text collate "C" not null check (source in ('header', 'metadata', 'user')),
  label text collate "C" not null,
  primary key (team_id, month, source, label)
);

-- What runs have read and written: JSON lists of messages.
create table request_bodies (
  run_id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  input text collate "C" not null,
  output text collate "C" not null,
  bytes bigint not null check (bytes >= 0),
  is_cut bigint not null check (is_cut in (0, 1)),
  create_time bigint not null,
  expire_time bigint not null
);
create index request_bodies_by_expiry on request_bodies (expire_time);
create index request_bodies_by_creation on request_bodies (create_time, run_id);
create index request_bodies_of_team on request_bodies (team_id);

-- One row: the bytes of all request bodies.
create table request_bodies_total (
  id bigint generated by default as identity primary key check (id = 1),
  bytes bigint not null check (bytes >= 0)
);

-- Money: the ledger, limits, budgets and usage
-- ============================================

-- The transactions of the ledger. It is append-only.
create table ledger_transactions (
  id bigint generated by default as identity primary key,
  kind text collate "C" not null check (kind in ('reserve', 'settle', 'release', 'purchase', 'refund', 'adjust')),
  team_id text collate "C" not null references teams (id),
  run_id text collate "C",
  note text collate "C",
  create_time bigint not null,
  check ((run_id is null) = (kind in ('purchase', 'refund', 'adjust')))
);
create index ledger_transactions_by_team on ledger_transactions (team_id, create_time);
create unique index ledger_run_ends on ledger_transactions (run_id) where kind in ('settle', 'release');
create index ledger_money on ledger_transactions (team_id, create_time) where run_id is null;
create index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve';

-- The entries of a transaction, which sum to 0.
create table ledger_entries (
  transaction_id bigint not null references ledger_transactions (id),
  account text collate "C" not null check (account in ('credit', 'reserved', 'owed', 'revenue', 'purchases', 'adjustments')),
  amount_ticks bigint not null check (amount_ticks <> 0),
  primary key (transaction_id, account)
);

-- The balance of each account of a team. A trigger updates it; the checks refuse an overdraft.
create table ledger_balances (
  team_id text collate "C" not null references teams (id),
  account text collate "C" not null,
  balance_ticks bigint not null,
  primary key (team_id, account),
  constraint no_overdraft check (account not in ('credit', 'reserved') or balance_ticks >= 0),
  constraint countable check (account not in ('credit', 'reserved') or balance_ticks <= 9007199254740991)
);

-- What a team may spend in a month (hard), and from when on it is warned (soft).
create table spending_limits (
  team_id text collate "C" primary key references teams (id),
  hard_ticks bigint check (hard_ticks >= 0),
  soft_ticks bigint check (soft_ticks >= 0)
);

-- What a team has spent and reserved in a month such as 202611. Triggers update it.
create table team_months (
  team_id text collate "C" not null references teams (id),
  month bigint not null check (month % 100 between 1 and 12),
  charged_ticks bigint not null check (charged_ticks >= 0),
  reserved_ticks bigint not null check (reserved_ticks >= 0),
  primary key (team_id, month)
);

-- Budgets of keys, members, teams, tags (`tag:...`) and end users (`user:...`) for a period.
create table budgets (
  subject_id text collate "C" not null,
  team_id text collate "C" not null references teams (id),
  period text collate "C" not null check (period in ('day', 'week', 'month', 'total')),
  subject text collate "C" not null check (subject in ('key', 'member', 'team', 'tag', 'user')),
  hard_ticks bigint check (hard_ticks >= 0),
  soft_ticks bigint check (soft_ticks >= 0),
  hard_tokens bigint check (hard_tokens >= 0),
  soft_tokens bigint check (soft_tokens >= 0),
  create_time bigint not null,
  primary key (subject_id, team_id, period),
  check (coalesce(hard_ticks, soft_ticks, hard_tokens, soft_tokens) is not null)
);
create index budgets_by_team on budgets (team_id, create_time, subject_id, period);

-- What is spent and reserved of a budget in a period. Triggers update it.
create table budget_periods (
  subject_id text collate "C" not null,
  team_id text collate "C" not null references teams (id),
  period text collate "C" not null,
  start_time bigint not null,
  spent_ticks bigint not null check (spent_ticks >= 0),
  spent_tokens bigint not null check (spent_tokens >= 0),
  reserved_ticks bigint not null check (reserved_ticks >= 0),
  reserved_tokens bigint not null check (reserved_tokens >= 0),
  warned bigint not null default 0 check (warned in (0, 1)),
  primary key (subject_id, team_id, period, start_time)
);

-- Sums of the runs that started in an hour (its first millisecond). Triggers update them.
create table usage_hours (
  team_id text collate "C" not null,
  hour bigint not null check (hour % 3600000 = 0),
  model text collate "C" not null,
  asked_model text collate "C" not null,
  api_key_id text collate "C" not null,
  runs bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  image_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  images bigint not null default 0,
  primary key (team_id, hour, model, asked_model, api_key_id)
);
create index usage_hours_by_key on usage_hours (api_key_id, hour);

-- The same for a day (UTC).
create table usage_days (
  team_id text collate "C" not null,
  day bigint not null check (day % 86400000 = 0),
  model text collate "C" not null,
  asked_model text collate "C" not null,
  api_key_id text collate "C" not null,
  runs bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  image_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  images bigint not null,
  primary key (team_id, day, model, asked_model, api_key_id)
);
create index usage_days_by_key on usage_days (api_key_id, day);

-- The same for an hour and a label: a run is in a row for each of its tags, and in one for its end user.
create table usage_label_hours (
  team_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('tag', 'user')),
  hour bigint not null check (hour % 3600000 = 0),
  label text collate "C" not null,
  model text collate "C" not null,
  asked_model text collate "C" not null,
  api_key_id text collate "C" not null,
  runs bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  image_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  images bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  primary key (team_id, kind, hour, label, model, asked_model, api_key_id)
);
create index usage_label_hours_by_label on usage_label_hours (team_id, kind, label, hour);

-- The same for a month such as 202611, by price: what invoices are made of.
create table usage_months (
  team_id text collate "C" not null,
  month bigint not null check (month % 100 between 1 and 12),
  model text collate "C" not null,
  price_id bigint not null,
  image_ticks bigint not null,
  evaluated_tokens bigint not null,
  cached_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  images bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  primary key (team_id, month, model, price_id, image_ticks)
);

-- Jobs, batches and downloads
-- ===========================

-- Queued jobs. A job in flight has a lease, and the number of its server where several share the database.
create table jobs (
  id text collate "C" primary key,
  kind text collate "C" not null check (kind in ('deferred-completion', 'background-response', 'batch-line')),
  team_id text collate "C" not null references teams (id),
  api_key_id text collate "C" not null,
  endpoint text collate "C" not null,
  attempts bigint not null check (attempts >= 0),
  lease_until bigint,
  create_time bigint not null,
  body text collate "C" not null,
  tags text collate "C",
  node_id bigint
);
create index jobs_by_age on jobs (kind, create_time, id, lease_until);
create index jobs_held on jobs (kind, lease_until) where lease_until is not null;
create index jobs_attempted on jobs (attempts, create_time, id, kind) where attempts > 0;

-- Outcomes of deferred chat completions, until they are read.
create table deferred_completions (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  state text collate "C" not null check (state in ('pending', 'done', 'failed')),
  create_time bigint not null,
  expire_time bigint,
  outcome text collate "C",
  user_id text collate "C",
  check ((state = 'pending') = (expire_time is null)),
  check ((state = 'pending') = (outcome is null))
);
create index deferred_completions_by_expiry on deferred_completions (expire_time) where expire_time is not null;
create index deferred_completions_by_team on deferred_completions (team_id, create_time, id);

-- Batches of requests.
create table batches (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  api_key_id text collate "C" not null,
  format text collate "C" not null check (format in ('openai', 'anthropic')),
  endpoint text collate "C" not null,
  state text collate "C" not null check (state in ('validating', 'in_progress', 'finalizing', 'cancelling', 'completed', 'failed', 'expired', 'cancelled')),
  outcome text collate "C" check (outcome in ('completed', 'expired', 'cancelled')),
  input_file_id text collate "C",
  output_file_id text collate "C",
  error_file_id text collate "C",
  output_expires_ms bigint,
  metadata text collate "C",
  errors text collate "C",
  lines bigint not null,
  bytes bigint not null,
  next_line bigint not null,
  succeeded bigint not null,
  errored bigint not null,
  dropped bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  create_time bigint not null,
  expire_time bigint not null,
  start_time bigint,
  finalize_time bigint,
  cancel_time bigint,
  end_time bigint,
  user_id text collate "C",
  tags text collate "C"
);
create index batches_by_team on batches (team_id, create_time, id);
create index batches_open on batches (team_id, expire_time) where end_time is null;
create index batches_by_end on batches (end_time) where end_time is not null;

-- The requests of batches, until their batch has ended.
create table batch_lines (
  batch_id text collate "C" not null references batches (id),
  line bigint not null,
  custom_id text collate "C" not null,
  state text collate "C" not null check (state in ('waiting', 'queued', 'succeeded', 'errored')),
  body text collate "C" not null,
  result text collate "C",
  primary key (batch_id, line),
  check ((result is null) = (state in ('waiting', 'queued')))
);
create index batch_lines_queued on batch_lines (batch_id) where state = 'queued';

-- Approvals of calls of MCP servers that were used: each leads to one call.
create table mcp_approvals (
  team_id text collate "C" not null references teams (id),
  id text collate "C" not null,
  expire_time bigint not null,
  primary key (team_id, id)
);
create index mcp_approvals_by_expiry on mcp_approvals (expire_time);

-- Downloads of models.
create table model_pulls (
  id text collate "C" primary key,
  what text collate "C" not null,
  state text collate "C" not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  actor text collate "C" not null,
  create_time bigint not null,
  end_time bigint,
  model_id text collate "C",
  error text collate "C",
  node_id bigint,
  check ((end_time is null) = (state in ('queued', 'running'))),
  check ((model_id is null) = (state <> 'done')),
  check ((error is null) = (state <> 'failed'))
);
create index model_pulls_by_age on model_pulls (create_time, id);
create index model_pulls_active on model_pulls (create_time, id) where end_time is null;

-- What teams store
-- ================

-- Stored responses. `body` is JSON.
create table responses (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  previous_id text collate "C",
  status text collate "C" not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  background bigint not null check (background in (0, 1)),
  streamed bigint not null check (streamed in (0, 1)),
  create_time bigint not null,
  expire_time bigint not null,
  body text collate "C" not null,
  conversation_id text collate "C",
  user_id text collate "C"
);
create index responses_ended on responses (expire_time) where status not in ('queued', 'in_progress');
create index responses_of_conversations on responses (conversation_id) where conversation_id is not null and status in ('queued', 'in_progress');
create index responses_by_team on responses (team_id, create_time, id);

-- Input and output items of responses.
create table response_items (
  entry bigint generated by default as identity primary key,
  response_id text collate "C" not null references responses (id) on delete cascade,
  team_id text collate "C" not null,
  side text collate "C" not null check (side in ('input', 'output')),
  position bigint not null check (position >= 0),
  id text collate "C" not null,
  body text collate "C" not null,
  unique (response_id, side, position)
);
create index response_items_by_id on response_items (team_id, id);

-- The compressed event streams of background responses.
create table response_events (
  response_id text collate "C" primary key references responses (id) on delete cascade,
  events bytea not null
);

-- Conversations.
create table conversations (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  create_time bigint not null,
  metadata text collate "C" not null
);
create index conversations_by_team on conversations (team_id);

-- Items of conversations.
create table conversation_items (
  entry bigint generated by default as identity primary key,
  conversation_id text collate "C" not null references conversations (id) on delete cascade,
  id text collate "C" not null,
  bytes bigint not null check (bytes >= 0),
  body text collate "C" not null,
  unique (conversation_id, id)
);
create index conversation_items_by_age on conversation_items (conversation_id, entry, bytes);

-- Stored chat completions.
create table chat_completions (
  entry bigint generated by default as identity primary key,
  id text collate "C" not null unique,
  team_id text collate "C" not null references teams (id),
  model text collate "C" not null,
  create_time bigint not null,
  expire_time bigint not null,
  metadata text collate "C" not null,
  messages text collate "C" not null,
  body text collate "C" not null,
  user_id text collate "C"
);
create index chat_completions_by_team on chat_completions (team_id, entry);
create index chat_completions_by_model on chat_completions (team_id, model, entry);
create index chat_completions_by_expiry on chat_completions (expire_time);

-- Files. Their contents are in the data folder.
create table files (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  purpose text collate "C" not null,
  filename text collate "C" not null,
  mime_type text collate "C" not null,
  bytes bigint not null check (bytes >= 0),
  create_time bigint not null,
  expire_time bigint,
  user_id text collate "C"
);
create index files_by_team on files (team_id, create_time, id);
create index files_by_expiry on files (expire_time) where expire_time is not null;

-- Generated images that are fetched by URL. Their contents are in the data folder.
create table kept_images (
  name text collate "C" primary key,
  run_id text collate "C" not null,
  bytes bigint not null check (bytes > 0),
  expire_time bigint not null
);
create index kept_images_by_expiry on kept_images (expire_time);

-- Alerts
-- ======

-- Where alerts are sent.
create table alert_channels (
  id text collate "C" primary key,
  team_id text collate "C" references teams (id),
  kind text collate "C" not null check (kind in ('webhook', 'email')),
  target text collate "C" not null,
  secret text collate "C",
  credit_ticks bigint check (credit_ticks >= 0),
  create_time bigint not null
);

-- Alerts; one is active until it has a `resolve_time`.
create table alerts (
  id text collate "C" primary key,
  team_id text collate "C" references teams (id),
  kind text collate "C" not null,
  subject text collate "C" not null,
  message text collate "C" not null,
  details text collate "C" not null,
  raise_time bigint not null,
  send_time bigint not null,
  resolve_time bigint
);
create unique index alerts_active on alerts (kind, subject) where resolve_time is null;
create index alerts_by_time on alerts (raise_time, id);

-- Messages to channels, and their attempts.
create table alert_deliveries (
  id text collate "C" primary key,
  channel_id text collate "C" not null references alert_channels (id) on delete cascade,
  alert_id text collate "C",
  event text collate "C" not null check (event in ('raised', 'repeated', 'resolved', 'test')),
  body text collate "C" not null,
  state text collate "C" not null check (state in ('queued', 'delivered', 'dead')),
  attempts bigint not null check (attempts >= 0),
  next_time bigint not null,
  create_time bigint not null,
  end_time bigint,
  error text collate "C"
);
create index alert_deliveries_due on alert_deliveries (next_time) where state = 'queued';
create index alert_deliveries_by_channel on alert_deliveries (channel_id, create_time, id);
create index alert_deliveries_ended on alert_deliveries (end_time) where end_time is not null;

-- Servers
-- =======

-- The servers that share the database.
create table nodes (
  id bigint generated by default as identity primary key,
  name text collate "C" not null,
  storage_id text collate "C" not null,
  start_time bigint not null,
  limits_place text collate "C"
);

-- What the server writes to find out whether it can write.
create table write_probes (
  id bigint generated by default as identity primary key,
  content bytea not null
);

-- The number of the last committed transaction of a connection: says after a lost connection whether a commit was executed.
create table commit_marks (
  connection text collate "C" primary key,
  mark bigint not null,
  time timestamptz not null
) with (fillfactor = 50);

-- The sliding windows of rate limits. `used` is the sum of the entries. A crash of the database empties these tables.
create unlogged table rate_windows (
  quota text collate "C" primary key,
  used bigint not null,
  last_time bigint not null
) with (fillfactor = 50);
create index rate_windows_by_time on rate_windows (last_time);

-- What was counted in a millisecond.
create unlogged table rate_entries (
  quota text collate "C" not null,
  time bigint not null,
  amount bigint not null,
  primary key (quota, time)
);

insert into request_bodies_total (id, bytes) values (1, 0);

-- What triggers keep
-- ==================

-- Fails where a statement has not changed as many rows as it must.
create function commit_expect(changed bigint, expected bigint) returns void language plpgsql as $$
begin
  if changed <> expected then
    raise exception '% rows were changed instead of %', changed, expected using errcode = 'HR001';
  end if;
end $$;

-- A deleted key ends its budgets and stays known. Its team and its owner do not change.
create function api_keys_end_budgets() returns trigger language plpgsql as $$
begin
  delete from budgets where subject_id = old.id;
  return null;
end $$;
create trigger api_keys_end_their_budgets after delete on api_keys for each row execute function api_keys_end_budgets();

create function api_keys_stay_known() returns trigger language plpgsql as $$
begin
  insert into removed_keys (id, team_id, user_id, name) values (old.id, old.team_id, old.user_id, old.name)
    on conflict do nothing;
  return null;
end $$;
create trigger api_keys_stay_known after delete on api_keys for each row execute function api_keys_stay_known();

create function api_keys_keep_owner() returns trigger language plpgsql as $$
begin
  raise exception 'the team and the owner of an API key do not change';
end $$;
create trigger api_keys_keep_their_owner before update of team_id, user_id on api_keys for each row
  when (new.team_id <> old.team_id or new.user_id <> old.user_id) execute function api_keys_keep_owner();

-- The audit log and the ledger are append-only.
create function audit_events_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_events_refuse_changes before update or delete on audit_events for each row execute function audit_events_refuse();

create function ledger_transactions_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_transactions_refuse_changes before update or delete on ledger_transactions for each row execute function ledger_transactions_refuse();

create function ledger_entries_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_entries_refuse_changes before update or delete on ledger_entries for each row execute function ledger_entries_refuse();

-- An entry is added to the balance of its account; the checks of balances refuse an overdraft, also of concurrent writers. An attempt to
-- insert a balance costs as much as an update.
create function ledger_entries_count() returns trigger language plpgsql as $$
declare
  team text := (select team_id from ledger_transactions where id = new.transaction_id);
begin
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = team and account = new.account;
  if not found then
    insert into ledger_balances (team_id, account, balance_ticks) values (team, new.account, 0)
      on conflict (team_id, account) do nothing;
    update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
      where team_id = team and account = new.account;
  end if;
  return null;
end $$;
create trigger ledger_entries_are_counted after insert on ledger_entries for each row execute function ledger_entries_count();

-- A run that ends, or is inserted as ended, is added to the sums of its hour, day and month.
create function runs_roll_up() returns trigger language plpgsql as $$
declare
  credit bigint := case when new.reserved_ticks is null then 0 else new.cost_ticks end;
begin
  insert into usage_hours as kept (team_id, hour, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens,
      completion_tokens, reasoning_tokens, cost_ticks, credit_ticks, images)
    values (new.team_id, new.start_time - new.start_time % 3600000, new.model, coalesce(new.asked_model, new.model),
      new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
      new.reasoning_tokens, new.cost_ticks, credit, new.images)
  on conflict (team_id, hour, model, asked_model, api_key_id) do update set runs = kept.runs + 1,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks,
    images = kept.images + excluded.images;
  insert into usage_days as kept (team_id, day, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens,
      completion_tokens, reasoning_tokens, cost_ticks, credit_ticks, images)
    values (new.team_id, new.start_time - new.start_time % 86400000, new.model, coalesce(new.asked_model, new.model),
      new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
      new.reasoning_tokens, new.cost_ticks, credit, new.images)
  on conflict (team_id, day, model, asked_model, api_key_id) do update set runs = kept.runs + 1,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks,
    images = kept.images + excluded.images;
  insert into usage_months as kept (team_id, month, model, price_id, image_ticks, evaluated_tokens, cached_tokens,
      completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    values (new.team_id, month_of(new.start_time), new.model, coalesce(new.price_id, 0), new.image_ticks,
      new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
      new.images, new.cost_ticks, credit)
  on conflict (team_id, month, model, price_id, image_ticks) do update set
    evaluated_tokens = kept.evaluated_tokens + excluded.evaluated_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    images = kept.images + excluded.images,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks;
  return null;
end $$;
create trigger runs_are_rolled_up after update of state on runs for each row
  when (old.state = 'running' and new.state not in ('running', 'interrupted')) execute function runs_roll_up();
create trigger runs_ended_are_rolled_up after insert on runs for each row
  when (new.state not in ('running', 'interrupted')) execute function runs_roll_up();

-- A run is counted in the month of its team, and refused beyond its limit: when it begins, reserves more, and ends.
create function runs_begun_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (new.team_id, month_of(new.start_time), case when new.state = 'running' then 0 else new.cost_ticks end,
      case when new.state = 'running' then new.reserved_ticks else 0 end)
  on conflict (team_id, month) do update set charged_ticks = kept.charged_ticks + excluded.charged_ticks,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks;
  if new.state = 'running' and exists (select 1 from spending_limits as bound
      join team_months as spent on spent.team_id = bound.team_id and spent.month = month_of(new.start_time)
      where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks) then
    raise exception 'monthly_limit';
  end if;
  return null;
end $$;
create trigger runs_begun_are_counted after insert on runs for each row
  when (new.reserved_ticks > 0 or (new.state <> 'running' and new.cost_ticks > 0)) execute function runs_begun_count();

create function runs_enlarged_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (new.team_id, month_of(old.start_time), 0, new.reserved_ticks - old.reserved_ticks)
  on conflict (team_id, month) do update set reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks;
  if exists (select 1 from spending_limits as bound
      join team_months as spent on spent.team_id = bound.team_id and spent.month = month_of(old.start_time)
      where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks) then
    raise exception 'monthly_limit';
  end if;
  return null;
end $$;
create trigger runs_enlarged_are_counted after update of reserved_ticks on runs for each row
  when (old.state = 'running' and new.state = 'running' and new.reserved_ticks > old.reserved_ticks)
  execute function runs_enlarged_count();

create function runs_ended_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (old.team_id, month_of(old.start_time), new.cost_ticks, 0)
  on conflict (team_id, month) do update set charged_ticks = kept.charged_ticks + excluded.charged_ticks,
    reserved_ticks = kept.reserved_ticks - coalesce(old.reserved_ticks, 0);
  return null;
end $$;
create trigger runs_ended_are_counted after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running' and (new.cost_ticks > 0 or old.reserved_ticks > 0))
  execute function runs_ended_count();

-- Runs share a lock of their team, and a change of the team's budgets takes it alone: a budget begins with the sums of runs, and none may
-- begin or end while they are read.
create function runs_share_budgets() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('hearth budgets of ' || new.team_id, 0));
  return new;
end $$;
create trigger runs_begin_with_budgets before insert on runs for each row execute function runs_share_budgets();
create trigger runs_end_with_budgets before update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_share_budgets();
create trigger runs_grow_with_budgets before update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_share_budgets();

create function budgets_take_lock() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('hearth budgets of ' || coalesce(new.team_id, old.team_id), 0));
  return coalesce(new, old);
end $$;
create trigger budgets_change_alone before insert or delete on budgets for each row execute function budgets_take_lock();

-- A run is counted in the budgets of its key, its member and its team, and refused beyond one. Rows are locked in one order.
create function runs_begun_budget() returns trigger language plpgsql as $$
begin
  insert into budget_periods as kept (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, period_start(period, new.start_time), case when new.state = 'running' then 0 else new.cost_ticks end, case when new.state = 'running' then 0 else new.prompt_tokens + new.completion_tokens + new.reasoning_tokens end,
      case when new.state = 'running' then coalesce(new.bound_ticks, 0) else 0 end, case when new.state = 'running' then coalesce(new.bound_tokens, 0) else 0 end
    from budgets where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id
    order by subject_id, period
  on conflict (subject_id, team_id, period, start_time) do update set spent_ticks = kept.spent_ticks + excluded.spent_ticks,
    spent_tokens = kept.spent_tokens + excluded.spent_tokens,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = kept.reserved_tokens + excluded.reserved_tokens;
  if found and new.state = 'running' and exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id
      and spent.start_time = period_start(period, new.start_time)
      and ((new.bound_ticks > 0 and spent_ticks + reserved_ticks > hard_ticks)
        or (new.bound_tokens > 0 and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$;
create trigger runs_begun_are_budgeted after insert on runs for each row when (new.state <> 'interrupted')
  execute function runs_begun_budget();

create function runs_enlarged_budget() returns trigger language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time) order by subject_id, period for update;
  if not found then
    return null;
  end if;
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time);
  if exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = new.team_id
      and spent.start_time = period_start(period, old.start_time)
      and ((new.bound_ticks > old.bound_ticks and spent_ticks + reserved_ticks > hard_ticks)
        or (new.bound_tokens > old.bound_tokens and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$;
create trigger runs_enlarged_are_budgeted after update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_enlarged_budget();

create function runs_ended_budget() returns trigger language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time) order by subject_id, period for update;
  if found then
    update budget_periods set
      spent_ticks = spent_ticks + case when new.state = 'interrupted' then 0 else new.cost_ticks end,
      spent_tokens = spent_tokens + case when new.state = 'interrupted' then 0 else new.prompt_tokens + new.completion_tokens + new.reasoning_tokens end,
      reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
      reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
    where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
      and start_time = period_start(period, old.start_time);
  end if;
  return null;
end $$;
create trigger runs_ended_are_budgeted after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_ended_budget();

-- The row of labels is inserted after the run, in its transaction: the run is counted in the budgets and the usage of its labels. Triggers
-- of a table are executed in the order of their names: triggers of labels lock rows after the others.
create function lock_label_periods(run runs, labels text[]) returns boolean language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id = any(labels) and team_id = run.team_id
    and start_time = period_start(period, run.start_time) order by subject_id, period for update;
  return found;
end $$;

create function add_label_usage(run runs, labels text[]) returns void language plpgsql as $$
begin
  insert into usage_label_hours as kept (team_id, kind, hour, label, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks,
      credit_ticks)
    select run.team_id, counted.kind, run.start_time - run.start_time % 3600000, counted.label, run.model,
      coalesce(run.asked_model, run.model), run.api_key_id, 1, run.prompt_tokens, run.cached_tokens, run.image_tokens, run.completion_tokens, run.reasoning_tokens, run.images, run.cost_ticks,
      case when run.reserved_ticks is null then 0 else run.cost_ticks end
    from (
      select distinct kind, case
        when exists (select 1 from budgets where subject_id = label_id and team_id = run.team_id)
          or exists (select 1 from counted_labels where counted_labels.team_id = run.team_id and month = month_of(run.start_time)
            and source in (case when kind = 'user' then 'user' else 'header' end, case when kind = 'user' then 'user' else 'metadata' end)
            and counted_labels.label = named)
        then named else '*' end as label
      from (select label_id, split_part(label_id, ':', 1) as kind, substr(label_id, position(':' in label_id) + 1) as named
        from unnest(labels) as label_id) as named_labels
      order by 1, 2
    ) as counted
  on conflict (team_id, kind, hour, label, model, asked_model, api_key_id) do update set runs = kept.runs + 1,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    images = kept.images + excluded.images,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks;
end $$;

create function labelled_runs_budget() returns trigger language plpgsql as $$
declare
  run runs;
  labels text[] := array(select json_array_elements_text(cast(new.subjects as json)));
begin
  select * into run from runs where id = new.run_id;
  insert into budget_periods as kept (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, period_start(period, run.start_time), case when run.state = 'running' then 0 else run.cost_ticks end,
      case when run.state = 'running' then 0 else run.prompt_tokens + run.completion_tokens + run.reasoning_tokens end, case when run.state = 'running' then coalesce(run.bound_ticks, 0) else 0 end, case when run.state = 'running' then coalesce(run.bound_tokens, 0) else 0 end
    from budgets where run.state <> 'interrupted' and team_id = run.team_id and subject_id = any(labels)
    order by subject_id, period
  on conflict (subject_id, team_id, period, start_time) do update set spent_ticks = kept.spent_ticks + excluded.spent_ticks,
    spent_tokens = kept.spent_tokens + excluded.spent_tokens,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = kept.reserved_tokens + excluded.reserved_tokens;
  if found and run.state = 'running' and exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where team_id = run.team_id and subject_id = any(labels) and spent.start_time = period_start(period, run.start_time)
      and ((run.bound_ticks > 0 and spent_ticks + reserved_ticks > hard_ticks)
        or (run.bound_tokens > 0 and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$;
create trigger labelled_runs_are_budgeted after insert on run_labels for each row when (new.subjects <> '[]')
  execute function labelled_runs_budget();

create function labelled_runs_sum() returns trigger language plpgsql as $$
declare
  run runs;
begin
  select * into run from runs where id = new.run_id and state not in ('running', 'interrupted');
  if found then
    perform add_label_usage(run, array(select json_array_elements_text(cast(new.subjects as json))));
  end if;
  return null;
end $$;
create trigger labelled_runs_ended_are_summed after insert on run_labels for each row when (new.subjects <> '[]')
  execute function labelled_runs_sum();

create function runs_with_labels_enlarge() returns trigger language plpgsql as $$
declare
  labels text[] := array(select value from run_labels, json_array_elements_text(cast(run_labels.subjects as json)) as value where run_id = new.id);
begin
  if cardinality(labels) = 0 or not lock_label_periods(old, labels) then
    return null;
  end if;
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id = any(labels) and team_id = old.team_id and start_time = period_start(period, old.start_time);
  if exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where team_id = old.team_id and subject_id = any(labels) and spent.start_time = period_start(period, old.start_time)
      and ((new.bound_ticks > old.bound_ticks and spent_ticks + reserved_ticks > hard_ticks)
        or (new.bound_tokens > old.bound_tokens and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$;
create trigger runs_enlarged_with_labels_are_budgeted after update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_with_labels_enlarge();

create function runs_with_labels_end() returns trigger language plpgsql as $$
declare
  labels text[] := array(select value from run_labels, json_array_elements_text(cast(run_labels.subjects as json)) as value where run_id = new.id);
begin
  if cardinality(labels) = 0 then
    return null;
  end if;
  if lock_label_periods(old, labels) then
    update budget_periods set
      spent_ticks = spent_ticks + case when new.state = 'interrupted' then 0 else new.cost_ticks end,
      spent_tokens = spent_tokens + case when new.state = 'interrupted' then 0 else new.prompt_tokens + new.completion_tokens + new.reasoning_tokens end,
      reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
      reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
    where subject_id = any(labels) and team_id = old.team_id and start_time = period_start(period, old.start_time);
  end if;
  if new.state <> 'interrupted' then
    perform add_label_usage(new, labels);
  end if;
  return null;
end $$;
create trigger runs_with_labels_are_summed after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_with_labels_end();

-- A deleted budget takes its periods with it.
create function budgets_end() returns trigger language plpgsql as $$
begin
  delete from budget_periods where subject_id = old.subject_id and team_id = old.team_id and period = old.period;
  return null;
end $$;
create trigger budgets_end after delete on budgets for each row execute function budgets_end();

-- A deleted run takes its labels and bodies with it, and is added to the sums of deleted runs; an interrupted run counts for nothing.
create function runs_deleted_sum() returns trigger language plpgsql as $$
declare
  counted bigint := case when old.state = 'interrupted' then 0 else 1 end;
begin
  delete from run_labels where run_id = old.id;
  insert into deleted_runs as kept (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks, runs, charged_runs,
      released_runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    values (old.team_id, old.start_time - old.start_time % 3600000, old.model, coalesce(old.asked_model, old.model),
      old.api_key_id, coalesce(old.user_id, ''), coalesce(old.price_id, 0), old.image_ticks, counted,
      case when old.price_id is not null and old.cost_ticks > 0 then 1 else 0 end,
      case when old.price_id is not null and old.cost_ticks = 0 and coalesce(old.reserved_ticks, 0) > 0 then 1 else 0 end,
      counted * old.prompt_tokens, counted * old.cached_tokens, counted * old.image_tokens, counted * old.completion_tokens,
      counted * old.reasoning_tokens, counted * old.images, counted * old.cost_ticks,
      case when old.reserved_ticks is null then 0 else old.cost_ticks end)
  on conflict (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks) do update set
    runs = kept.runs + excluded.runs,
    charged_runs = kept.charged_runs + excluded.charged_runs,
    released_runs = kept.released_runs + excluded.released_runs,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    images = kept.images + excluded.images,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks;
  return null;
end $$;
create trigger runs_deleted_are_summed after delete on runs for each row when (old.state <> 'running')
  execute function runs_deleted_sum();

create function runs_delete_bodies() returns trigger language plpgsql as $$
begin
  delete from request_bodies where run_id = old.id;
  return null;
end $$;
create trigger runs_deleted_with_bodies after delete on runs for each row execute function runs_delete_bodies();

-- The bytes of all request bodies.
create function request_bodies_add() returns trigger language plpgsql as $$
begin
  update request_bodies_total set bytes = bytes + new.bytes;
  return null;
end $$;
create trigger request_bodies_added after insert on request_bodies for each row execute function request_bodies_add();

create function request_bodies_subtract() returns trigger language plpgsql as $$
begin
  update request_bodies_total set bytes = bytes - old.bytes;
  return null;
end $$;
create trigger request_bodies_deleted after delete on request_bodies for each row execute function request_bodies_subtract();

-- Windows of rate limits: a quota is changed by one transaction at a time, which holds its lock. Locks are sorted, so that two transactions
-- never wait for one another.
create function rate_lock(quotas text[]) returns void language plpgsql as $$
declare
  lock bigint;
begin
  for lock in select distinct hashtextextended(quota, 0) as hash from unnest(quotas) as quota order by hash loop
    perform pg_advisory_xact_lock(lock);
  end loop;
end $$;

create function rate_now() returns bigint language sql volatile
  return cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint);

-- Removes what has expired. Returns the sum of the rest.
create function rate_used(of text, span bigint, at bigint) returns bigint language plpgsql as $$
declare
  expired bigint;
  rest bigint;
begin
  select sum(amount) into expired from rate_entries where quota = of and time <= at - span;
  if expired is null then
    select used into rest from rate_windows where quota = of;
  else
    delete from rate_entries where quota = of and time <= at - span;
    update rate_windows set used = used - expired where quota = of returning used into rest;
  end if;
  return coalesce(rest, 0);
end $$;

create function rate_add(of text, more bigint, at bigint) returns void language plpgsql as $$
begin
  if more = 0 then
    return;
  end if;
  insert into rate_entries as kept (quota, time, amount) values (of, at, more)
    on conflict (quota, time) do update set amount = kept.amount + excluded.amount;
  insert into rate_windows as kept (quota, used, last_time) values (of, more, at)
    on conflict (quota) do update set used = kept.used + excluded.used, last_time = greatest(kept.last_time, excluded.last_time);
end $$;

-- Subtracts from what was counted at a time; nothing when that has expired.
create function rate_give_back(of text, less bigint, counted_at bigint) returns void language plpgsql as $$
begin
  update rate_entries set amount = amount - less where quota = of and time = counted_at;
  if found then
    update rate_windows set used = used - less where quota = of;
    delete from rate_entries where quota = of and time = counted_at and amount <= 0;
  end if;
end $$;

-- Returns the first time at which an amount fits that does not fit now; null when it never will.
create function rate_fits_at(of text, span bigint, used bigint, more bigint, most bigint) returns bigint language sql stable return (
    select time + span from (
      select time, sum(amount) over (order by time) as passed from rate_entries where quota = of
    ) as passing where more <= most and used - passed + more <= most order by time limit 1);

-- Counts all wanted amounts, or none, and then gives back the earlier ones: the first `earlier` of the lists. Returns a row for each place
-- of the lists, with what is used, when the last entry expires, and when the amount fits where it does not.
create function rate_count(quotas text[], spans bigint[], limits bigint[], amounts bigint[], earlier bigint, earlier_at bigint,
  given_time bigint)
returns table (counted_at bigint, taken boolean, used bigint, ends_at bigint, fits_at bigint) language plpgsql as $$
declare
  sums bigint[];
begin
  perform rate_lock(quotas);
  counted_at := coalesce(given_time, rate_now());
  taken := true;
  for place in 1 .. cardinality(quotas) loop
    sums[place] := rate_used(quotas[place], spans[place], counted_at);
    taken := taken and (place <= earlier or sums[place] + amounts[place] <= limits[place]);
  end loop;
  if not taken then
    for place in 1 .. earlier loop
      perform rate_give_back(quotas[place], amounts[place], earlier_at);
      sums[place] := rate_used(quotas[place], spans[place], counted_at);
    end loop;
  end if;
  for place in 1 .. cardinality(quotas) loop
    if taken and place > earlier and amounts[place] > 0 then
      insert into rate_entries as kept (quota, time, amount) values (quotas[place], counted_at, amounts[place])
        on conflict (quota, time) do update set amount = kept.amount + excluded.amount;
      update rate_windows as kept set used = kept.used + amounts[place], last_time = greatest(kept.last_time, counted_at)
        where quota = quotas[place] returning kept.used into used;
      if not found then
        insert into rate_windows (quota, used, last_time) values (quotas[place], amounts[place], counted_at);
        used := amounts[place];
      end if;
      ends_at := counted_at + spans[place];
    else
      used := sums[place];
      select max(time) + spans[place] into ends_at from rate_entries where quota = quotas[place];
    end if;
    fits_at := null;
    if not taken and used + amounts[place] > limits[place] then
      fits_at := rate_fits_at(quotas[place], spans[place], used, amounts[place], limits[place]);
    end if;
    return next;
  end loop;
end $$;

-- Counts a positive difference now, and subtracts a negative one from what was counted at a time.
create function rate_adjust(quotas text[], difference bigint, counted_at bigint, given_time bigint) returns void language plpgsql as $$
declare
  at bigint;
  quota text;
begin
  perform rate_lock(quotas);
  at := coalesce(given_time, rate_now());
  foreach quota in array quotas loop
    if difference > 0 then
      perform rate_add(quota, difference, at);
    else
      perform rate_give_back(quota, -difference, counted_at);
    end if;
  end loop;
end $$;

-- Removes windows in which nothing was counted for a minute, except windows of another transaction. Returns how many it looked at.
create function rate_sweep(given_time bigint) returns bigint language plpgsql as $$
declare
  idle text;
  seen bigint := 0;
  at bigint := coalesce(given_time, rate_now());
begin
  for idle in select quota from rate_windows where last_time <= at - 60000 limit 10000 loop
    seen := seen + 1;
    if pg_try_advisory_xact_lock(hashtextextended(idle, 0)) then
      delete from rate_windows where quota = idle and last_time <= at - 60000;
      delete from rate_entries where quota = idle and not exists (select 1 from rate_windows where quota = idle);
    end if;
  end loop;
  return seen;
end $$;
