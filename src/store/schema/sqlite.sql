-- The schema of a SQLite database: everything that a new one gets. Times are milliseconds since the epoch, money is ticks (core/money.ts),
-- flags are 0 or 1.
-- A change here needs a migration, too: see ../migrations/README.md. postgres.sql has the same tables and columns.
-- Indexes and triggers of a table stay in this order: SQLite uses the newer of two indexes that serve alike, and executes triggers by age.

-- Teams, keys and members
-- =======================

-- Teams: what they may spend (billing), their share of the scheduler (weight), and which ACLs their keys can have at most.
create table teams (
  id text primary key not null,
  name text not null,
  billing text not null check (billing in ('prepaid', 'unmetered')),
  blocked integer not null check (blocked in (0, 1)),
  create_time integer not null,
  weight integer not null default 1 check (weight between 1 and 1000),
  acls text,
  keeps_bodies integer not null default 0 check (keeps_bodies in (0, 1)),
  name_folded text
) strict;
create unique index teams_by_name on teams (name_folded);

-- Rate limits of a team on a model, or on `*` (every model), `total` (all together) or `each-end-user`.
create table team_limits (
  team_id text not null references teams (id),
  model text not null,
  qps integer check (qps > 0),
  qpm integer check (qpm > 0),
  tpm integer check (tpm > 0),
  primary key (team_id, model),
  check (coalesce(qps, qpm, tpm) is not null)
) strict, without rowid;

-- Named lists of ACLs. The ACLs of keys and teams name them.
create table access_groups (
  name text primary key,
  description text not null,
  acls text not null,
  create_time integer not null,
  modify_time integer not null
) strict, without rowid;

-- API keys: the hash of a secret, never the secret. `previous_hash` works until `previous_expire_time` after a rotation.
create table api_keys (
  id text primary key not null,
  team_id text not null references teams (id),
  user_id text not null,
  name text not null,
  hash blob not null unique check (length(hash) = 32),
  redacted text not null,
  acls text not null check (json_type(acls) = 'array'),
  disabled integer not null check (disabled in (0, 1)),
  blocked integer not null check (blocked in (0, 1)),
  expire_time integer,
  create_time integer not null,
  modify_time integer not null,
  modified_by text not null,
  qps integer check (qps > 0),
  qpm integer check (qpm > 0),
  tpm integer check (tpm > 0),
  previous_hash blob check (length(previous_hash) = 32),
  previous_expire_time integer check ((previous_expire_time is null) = (previous_hash is null)),
  ip_ranges text check (json_type(ip_ranges) = 'array'),
  last_use_time integer,
  end_user_qpm integer check (end_user_qpm > 0),
  end_user_tpm integer check (end_user_tpm > 0)
) strict;
create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;
create index api_keys_by_team on api_keys (team_id, create_time, id);

-- What stays of deleted API keys, which usage and the log of requests outlive. A trigger inserts it.
create table removed_keys (
  id text primary key not null,
  team_id text not null references teams (id),
  user_id text not null,
  name text
) strict, without rowid;
create index removed_keys_by_owner on removed_keys (user_id, team_id);

-- Keys of the management API; `team_id` null is the operator's.
create table management_keys (
  id text primary key not null,
  team_id text references teams (id),
  user_id text not null,
  name text not null,
  hash blob not null unique check (length(hash) = 32),
  redacted text not null,
  acls text not null check (json_type(acls) = 'array'),
  expire_time integer,
  create_time integer not null,
  modify_time integer not null,
  ip_ranges text check (json_type(ip_ranges) = 'array'),
  last_use_time integer
) strict;

-- Members of teams; `team_id` null is a member of the whole server. Rows of removed members stay, because the audit log names them.
create table members (
  id text primary key not null,
  team_id text references teams (id),
  email text not null,
  email_folded text not null,
  given_name text not null,
  family_name text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  create_time integer not null,
  remove_time integer
) strict;
create unique index members_by_email on members (email_folded) where remove_time is null;
create index members_by_team on members (team_id, create_time, id) where remove_time is null;

-- How members sign in to the console, and the API key with which their sessions call the models.
create table member_sign_ins (
  member_id text primary key not null references members (id),
  password text,
  api_key_id text
) strict, without rowid;

-- Who members are for an OpenID Connect provider.
create table member_identities (
  issuer text not null,
  subject text not null,
  member_id text not null references members (id),
  create_time integer not null,
  primary key (issuer, subject)
) strict, without rowid;
create unique index member_identities_by_member on member_identities (member_id, issuer);

-- Links that were not used: each sets a password once. `member_id` null creates the first owner of the server.
create table sign_in_links (
  hash blob primary key not null check (length(hash) = 32),
  member_id text references members (id),
  expire_time integer not null
) strict, without rowid;
create unique index sign_in_links_by_member on sign_in_links (coalesce(member_id, ''));

-- Sign-ins through the provider from which a browser has come back: each works once.
create table used_sign_ins (
  state_hash blob primary key not null check (length(state_hash) = 32),
  expire_time integer not null
) strict, without rowid;
create index used_sign_ins_by_expiry on used_sign_ins (expire_time);

-- Sessions of the console, by the hash of their secret.
create table console_sessions (
  id text primary key not null,
  hash blob not null check (length(hash) = 32),
  member_id text not null references members (id),
  create_time integer not null,
  last_use_time integer not null,
  expire_time integer not null
) strict;
create unique index console_sessions_by_hash on console_sessions (hash);
create index console_sessions_by_member on console_sessions (member_id, create_time, id);
create index console_sessions_by_expiry on console_sessions (expire_time);

-- The audit log. It is append-only.
create table audit_events (
  entry integer primary key not null,
  id text not null unique,
  time integer not null,
  actor text not null,
  user_id text not null,
  team_id text,
  act text not null,
  object_id text not null,
  description text not null,
  object_before text check (json_type(object_before) = 'object'),
  object_after text check (json_type(object_after) = 'object')
) strict;
create index audit_events_by_time on audit_events (time, entry);
create index audit_events_by_team on audit_events (team_id, time, entry);

-- Prices, runs and what was said of them
-- ======================================

-- The prices at which models were charged. The same prices have the same id.
create table price_book (
  id integer primary key not null,
  model text not null,
  prompt_text_token_ticks integer not null check (prompt_text_token_ticks >= 0),
  cached_prompt_text_token_ticks integer not null check (cached_prompt_text_token_ticks >= 0),
  completion_text_token_ticks integer not null check (completion_text_token_ticks >= 0),
  create_time integer not null,
  unique (model, prompt_text_token_ticks, cached_prompt_text_token_ticks, completion_text_token_ticks)
) strict;

-- What hosted models cost elsewhere, for comparison; the highest id of an alias holds.
create table hosted_prices (
  id integer primary key not null,
  alias text not null,
  prompt_ticks integer not null check (prompt_ticks >= 0),
  cached_ticks integer not null check (cached_ticks >= 0),
  completion_ticks integer not null check (completion_ticks >= 0),
  create_time integer not null
) strict;
create index hosted_prices_by_alias on hosted_prices (alias, id);

-- Every run of a model. The columns that may be null and have no comment in the program are unknown for older runs.
create table runs (
  id text primary key not null,
  request_id text not null,
  team_id text not null references teams (id),
  api_key_id text not null,
  model text not null,
  endpoint text not null,
  state text not null check (state in ('running', 'completed', 'aborted', 'failed', 'interrupted')),
  prompt_tokens integer not null check (prompt_tokens >= 0),
  cached_tokens integer not null check (cached_tokens between 0 and prompt_tokens),
  image_tokens integer not null check (image_tokens between 0 and prompt_tokens),
  completion_tokens integer not null check (completion_tokens >= 0),
  reasoning_tokens integer not null check (reasoning_tokens >= 0),
  cost_ticks integer not null check (cost_ticks >= 0),
  start_time integer not null,
  end_time integer,
  price_id integer references price_book (id),
  reserved_ticks integer check (reserved_ticks >= 0),
  asked_model text,
  images integer not null default 0 check (images >= 0),
  image_ticks integer not null default 0 check (image_ticks >= 0),
  user_id text,
  bound_ticks integer check (bound_ticks >= 0),
  bound_tokens integer check (bound_tokens >= 0),
  create_time integer,
  streamed integer check (streamed in (0, 1)),
  first_token_ms integer check (first_token_ms >= 0),
  finish_reason text,
  error_kind text,
  node_id integer,
  check ((state = 'running') = (end_time is null))
) strict;
create index runs_by_team on runs (team_id, start_time);
create index runs_running on runs (state) where state = 'running';
create index runs_by_creation on runs (create_time, id);
create index runs_of_team on runs (team_id, create_time, id);
create index runs_of_key on runs (api_key_id, create_time, id);
create index runs_failed on runs (start_time, team_id) where state = 'failed';
create index runs_without_user on runs (api_key_id) where user_id is null;

-- What clients say of their runs (JSON), and the tags and end users that a run is counted for (a JSON list).
create table run_labels (
  run_id text primary key not null,
  expire_time integer not null,
  labels text not null,
  subjects text not null default '[]'
) strict, without rowid;
create index run_labels_by_expiry on run_labels (expire_time);

-- Sums of the runs of an hour that were deleted, so that the ledger and usage still add up. A trigger updates them.
create table deleted_runs (
  team_id text not null,
  hour integer not null check (hour % 3600000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  user_id text not null,
  price_id integer not null,
  image_ticks integer not null,
  runs integer not null,
  charged_runs integer not null,
  released_runs integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  image_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  images integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  primary key (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks)
) strict, without rowid;
create index deleted_runs_without_user on deleted_runs (api_key_id) where user_id = '';

-- The labels of a team that are summed by themselves in a month; further ones are summed as `*`.
create table counted_labels (
  team_id text not null,
  month integer not null,
  source text not null check (source in ('header', 'metadata', 'user')),
  label text not null,
  primary key (team_id, month, source, label)
) strict, without rowid;

-- What runs have read and written: JSON lists of messages.
create table request_bodies (
  run_id text primary key not null,
  team_id text not null references teams (id),
  input text not null,
  output text not null,
  bytes integer not null check (bytes >= 0),
  is_cut integer not null check (is_cut in (0, 1)),
  create_time integer not null,
  expire_time integer not null
) strict;
create index request_bodies_by_expiry on request_bodies (expire_time);
create index request_bodies_by_creation on request_bodies (create_time, run_id);
create index request_bodies_of_team on request_bodies (team_id);

-- One row: the bytes of all request bodies.
create table request_bodies_total (
  id integer primary key check (id = 1),
  bytes integer not null check (bytes >= 0)
) strict;

-- Money: the ledger, limits, budgets and usage
-- ============================================

-- The transactions of the ledger. It is append-only.
create table ledger_transactions (
  id integer primary key not null,
  kind text not null check (kind in ('reserve', 'settle', 'release', 'purchase', 'refund', 'adjust')),
  team_id text not null references teams (id),
  run_id text,
  note text,
  create_time integer not null,
  check ((run_id is null) = (kind in ('purchase', 'refund', 'adjust')))
) strict;
create index ledger_transactions_by_team on ledger_transactions (team_id, create_time);
create unique index ledger_run_ends on ledger_transactions (run_id) where kind in ('settle', 'release');
create index ledger_money on ledger_transactions (team_id, create_time) where run_id is null;
create index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve';

-- The entries of a transaction, which sum to 0.
create table ledger_entries (
  transaction_id integer not null references ledger_transactions (id),
  account text not null check (account in ('credit', 'reserved', 'owed', 'revenue', 'purchases', 'adjustments')),
  amount_ticks integer not null check (amount_ticks <> 0),
  primary key (transaction_id, account)
) strict, without rowid;

-- The balance of each account of a team. A trigger updates it; the checks refuse an overdraft.
create table ledger_balances (
  team_id text not null references teams (id),
  account text not null,
  balance_ticks integer not null,
  primary key (team_id, account),
  constraint no_overdraft check (account not in ('credit', 'reserved') or balance_ticks >= 0),
  constraint countable check (account not in ('credit', 'reserved') or balance_ticks <= 9007199254740991)
) strict, without rowid;

-- What a team may spend in a month (hard), and from when on it is warned (soft).
create table spending_limits (
  team_id text primary key not null references teams (id),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0)
) strict, without rowid;

-- What a team has spent and reserved in a month such as 202611. Triggers update it.
create table team_months (
  team_id text not null references teams (id),
  month integer not null check (month % 100 between 1 and 12),
  charged_ticks integer not null check (charged_ticks >= 0),
  reserved_ticks integer not null check (reserved_ticks >= 0),
  primary key (team_id, month)
) strict, without rowid;

-- Budgets of keys, members, teams, tags (`tag:...`) and end users (`user:...`) for a period.
create table budgets (
  subject_id text not null,
  team_id text not null references teams (id),
  period text not null check (period in ('day', 'week', 'month', 'total')),
  subject text not null check (subject in ('key', 'member', 'team', 'tag', 'user')),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0),
  hard_tokens integer check (hard_tokens >= 0),
  soft_tokens integer check (soft_tokens >= 0),
  create_time integer not null,
  primary key (subject_id, team_id, period),
  check (coalesce(hard_ticks, soft_ticks, hard_tokens, soft_tokens) is not null)
) strict, without rowid;
create index budgets_by_team on budgets (team_id, create_time, subject_id, period);

-- What is spent and reserved of a budget in a period. Triggers update it.
create table budget_periods (
  subject_id text not null,
  team_id text not null references teams (id),
  period text not null,
  start_time integer not null,
  spent_ticks integer not null check (spent_ticks >= 0),
  spent_tokens integer not null check (spent_tokens >= 0),
  reserved_ticks integer not null check (reserved_ticks >= 0),
  reserved_tokens integer not null check (reserved_tokens >= 0),
  warned integer not null default 0 check (warned in (0, 1)),
  primary key (subject_id, team_id, period, start_time)
) strict, without rowid;

-- Sums of the runs that started in an hour (its first millisecond). Triggers update them.
create table usage_hours (
  team_id text not null,
  hour integer not null check (hour % 3600000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  image_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  images integer not null default 0,
  primary key (team_id, hour, model, asked_model, api_key_id)
) strict, without rowid;
create index usage_hours_by_key on usage_hours (api_key_id, hour);

-- The same for a day (UTC).
create table usage_days (
  team_id text not null,
  day integer not null check (day % 86400000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  image_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  images integer not null,
  primary key (team_id, day, model, asked_model, api_key_id)
) strict, without rowid;
create index usage_days_by_key on usage_days (api_key_id, day);

-- The same for an hour and a label: a run is in a row for each of its tags, and in one for its end user.
create table usage_label_hours (
  team_id text not null,
  kind text not null check (kind in ('tag', 'user')),
  hour integer not null check (hour % 3600000 = 0),
  label text not null,
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  image_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  images integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  primary key (team_id, kind, hour, label, model, asked_model, api_key_id)
) strict, without rowid;
create index usage_label_hours_by_label on usage_label_hours (team_id, kind, label, hour);

-- The same for a month such as 202611, by price: what invoices are made of.
create table usage_months (
  team_id text not null,
  month integer not null check (month % 100 between 1 and 12),
  model text not null,
  price_id integer not null,
  image_ticks integer not null,
  evaluated_tokens integer not null,
  cached_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  images integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  primary key (team_id, month, model, price_id, image_ticks)
) strict, without rowid;

-- Jobs, batches and downloads
-- ===========================

-- Queued jobs. A job in flight has a lease, and the number of its server where several share the database.
create table jobs (
  id text primary key not null,
  kind text not null check (kind in ('deferred-completion', 'background-response', 'batch-line')),
  team_id text not null references teams (id),
  api_key_id text not null,
  endpoint text not null,
  attempts integer not null check (attempts >= 0),
  lease_until integer,
  create_time integer not null,
  body text not null,
  tags text,
  node_id integer
) strict;
create index jobs_by_age on jobs (kind, create_time, id, lease_until);
create index jobs_held on jobs (kind, lease_until) where lease_until is not null;
create index jobs_attempted on jobs (attempts, create_time, id, kind) where attempts > 0;

-- Outcomes of deferred chat completions, until they are read.
create table deferred_completions (
  id text primary key not null,
  team_id text not null references teams (id),
  state text not null check (state in ('pending', 'done', 'failed')),
  create_time integer not null,
  expire_time integer,
  outcome text,
  user_id text,
  check ((state = 'pending') = (expire_time is null)),
  check ((state = 'pending') = (outcome is null))
) strict;
create index deferred_completions_by_expiry on deferred_completions (expire_time) where expire_time is not null;
create index deferred_completions_by_team on deferred_completions (team_id, create_time, id);

-- Batches of requests.
create table batches (
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
  end_time integer,
  user_id text,
  tags text
) strict;
create index batches_by_team on batches (team_id, create_time, id);
create index batches_open on batches (team_id, expire_time) where end_time is null;
create index batches_by_end on batches (end_time) where end_time is not null;

-- The requests of batches, until their batch has ended.
create table batch_lines (
  batch_id text not null references batches (id),
  line integer not null,
  custom_id text not null,
  state text not null check (state in ('waiting', 'queued', 'succeeded', 'errored')),
  body text not null,
  result text,
  primary key (batch_id, line),
  check ((result is null) = (state in ('waiting', 'queued')))
) strict;
create index batch_lines_queued on batch_lines (batch_id) where state = 'queued';

-- Approvals of calls of MCP servers that were used: each leads to one call.
create table mcp_approvals (
  team_id text not null references teams (id),
  id text not null,
  expire_time integer not null,
  primary key (team_id, id)
) strict, without rowid;
create index mcp_approvals_by_expiry on mcp_approvals (expire_time);

-- Downloads of models.
create table model_pulls (
  id text primary key not null,
  what text not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  actor text not null,
  create_time integer not null,
  end_time integer,
  model_id text,
  error text,
  node_id integer,
  check ((end_time is null) = (state in ('queued', 'running'))),
  check ((model_id is null) = (state <> 'done')),
  check ((error is null) = (state <> 'failed'))
) strict;
create index model_pulls_by_age on model_pulls (create_time, id);
create index model_pulls_active on model_pulls (create_time, id) where end_time is null;

-- What teams store
-- ================

-- Stored responses. `body` is JSON.
create table responses (
  id text primary key not null,
  team_id text not null references teams (id),
  previous_id text,
  status text not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  background integer not null check (background in (0, 1)),
  streamed integer not null check (streamed in (0, 1)),
  create_time integer not null,
  expire_time integer not null,
  body text not null,
  conversation_id text,
  user_id text
) strict;
create index responses_ended on responses (expire_time) where status not in ('queued', 'in_progress');
create index responses_of_conversations on responses (conversation_id) where conversation_id is not null and status in ('queued', 'in_progress');
create index responses_by_team on responses (team_id, create_time, id);

-- Input and output items of responses.
create table response_items (
  entry integer primary key not null,
  response_id text not null references responses (id) on delete cascade,
  team_id text not null,
  side text not null check (side in ('input', 'output')),
  position integer not null check (position >= 0),
  id text not null,
  body text not null,
  unique (response_id, side, position)
) strict;
create index response_items_by_id on response_items (team_id, id);

-- The compressed event streams of background responses.
create table response_events (
  response_id text primary key not null references responses (id) on delete cascade,
  events blob not null
) strict;

-- Conversations.
create table conversations (
  id text primary key not null,
  team_id text not null references teams (id),
  create_time integer not null,
  metadata text not null
) strict;
create index conversations_by_team on conversations (team_id);

-- Items of conversations.
create table conversation_items (
  entry integer primary key not null,
  conversation_id text not null references conversations (id) on delete cascade,
  id text not null,
  bytes integer not null check (bytes >= 0),
  body text not null,
  unique (conversation_id, id)
) strict;
create index conversation_items_by_age on conversation_items (conversation_id, entry, bytes);

-- Stored chat completions.
create table chat_completions (
  entry integer primary key not null,
  id text not null unique,
  team_id text not null references teams (id),
  model text not null,
  create_time integer not null,
  expire_time integer not null,
  metadata text not null,
  messages text not null,
  body text not null,
  user_id text
) strict;
create index chat_completions_by_team on chat_completions (team_id, entry, metadata);
create index chat_completions_by_model on chat_completions (team_id, model, entry, metadata);
create index chat_completions_by_expiry on chat_completions (expire_time);

-- Files. Their contents are in the data folder.
create table files (
  id text primary key not null,
  team_id text not null references teams (id),
  purpose text not null,
  filename text not null,
  mime_type text not null,
  bytes integer not null check (bytes >= 0),
  create_time integer not null,
  expire_time integer,
  user_id text
) strict;
create index files_by_team on files (team_id, create_time, id);
create index files_by_expiry on files (expire_time) where expire_time is not null;

-- Generated images that are fetched by URL. Their contents are in the data folder.
create table kept_images (
  name text primary key not null,
  run_id text not null,
  bytes integer not null check (bytes > 0),
  expire_time integer not null
) strict, without rowid;
create index kept_images_by_expiry on kept_images (expire_time);

-- Alerts
-- ======

-- Where alerts are sent.
create table alert_channels (
  id text primary key not null,
  team_id text references teams (id),
  kind text not null check (kind in ('webhook', 'email')),
  target text not null,
  secret text,
  credit_ticks integer check (credit_ticks >= 0),
  create_time integer not null
) strict, without rowid;

-- Alerts; one is active until it has a `resolve_time`.
create table alerts (
  id text primary key not null,
  team_id text references teams (id),
  kind text not null,
  subject text not null,
  message text not null,
  details text not null,
  raise_time integer not null,
  send_time integer not null,
  resolve_time integer
) strict, without rowid;
create unique index alerts_active on alerts (kind, subject) where resolve_time is null;
create index alerts_by_time on alerts (raise_time, id);

-- Messages to channels, and their attempts.
create table alert_deliveries (
  id text primary key not null,
  channel_id text not null references alert_channels (id) on delete cascade,
  alert_id text,
  event text not null check (event in ('raised', 'repeated', 'resolved', 'test')),
  body text not null,
  state text not null check (state in ('queued', 'delivered', 'dead')),
  attempts integer not null check (attempts >= 0),
  next_time integer not null,
  create_time integer not null,
  end_time integer,
  error text
) strict, without rowid;
create index alert_deliveries_due on alert_deliveries (next_time) where state = 'queued';
create index alert_deliveries_by_channel on alert_deliveries (channel_id, create_time, id);
create index alert_deliveries_ended on alert_deliveries (end_time) where end_time is not null;

-- Servers
-- =======

-- The servers that share the database.
create table nodes (
  id integer primary key not null,
  name text not null,
  storage_id text not null,
  start_time integer not null,
  limits_place text
) strict;

-- What the server writes to find out whether it can write.
create table write_probes (
  id integer primary key,
  content blob not null
) strict;

insert into request_bodies_total (id, bytes) values (1, 0);

-- What triggers keep
-- ==================

-- A deleted key ends its budgets and stays known. Its team and its owner do not change.
create trigger api_keys_end_their_budgets after delete on api_keys begin
  delete from budgets where subject_id = old.id;
end;

create trigger api_keys_stay_known after delete on api_keys begin
  insert into removed_keys (id, team_id, user_id, name) values (old.id, old.team_id, old.user_id, old.name)
    on conflict do nothing;
end;

create trigger api_keys_keep_their_owner before update of team_id, user_id on api_keys
when new.team_id <> old.team_id or new.user_id <> old.user_id begin
  select raise(abort, 'the team and the owner of an API key do not change');
end;

-- The audit log and the ledger are append-only.
create trigger audit_events_unchanged before update on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger audit_events_undeleted before delete on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger audit_events_unreplaced before insert on audit_events
when exists (select 1 from audit_events where entry = new.entry or id = new.id)
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger ledger_transactions_refuse_update before update on ledger_transactions begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_transactions_refuse_delete before delete on ledger_transactions begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_entries_refuse_update before update on ledger_entries begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_entries_refuse_delete before delete on ledger_entries begin
  select raise(abort, 'the ledger is append-only');
end;

-- An entry is added to the balance of its account; the checks of balances refuse an overdraft.
create trigger ledger_entries_are_counted after insert on ledger_entries begin
  insert into ledger_balances (team_id, account, balance_ticks)
    select team_id, new.account, 0 from ledger_transactions where id = new.transaction_id
    on conflict do nothing;
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = (select team_id from ledger_transactions where id = new.transaction_id)
    and account = new.account;
end;

-- A run is counted in the month of its team, and refused beyond its limit: when it begins, reserves more, and ends.
create trigger runs_begun_are_counted after insert on runs
when new.reserved_ticks > 0 or (new.state <> 'running' and new.cost_ticks > 0) begin
  insert into team_months values (
    new.team_id, cast(strftime('%Y%m', new.start_time / 1000, 'unixepoch') as integer), iif(new.state = 'running', 0, new.cost_ticks),
    iif(new.state = 'running', new.reserved_ticks, 0))
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = cast(strftime('%Y%m', new.start_time / 1000, 'unixepoch') as integer)
    where bound.team_id = new.team_id and new.state = 'running'
    and charged_ticks + reserved_ticks > hard_ticks;
end;

create trigger runs_ended_are_counted after update of state on runs
when old.state = 'running' and new.state <> 'running' and (new.cost_ticks > 0 or old.reserved_ticks > 0) begin
  insert into team_months values (old.team_id, cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer), new.cost_ticks, 0)
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks - coalesce(old.reserved_ticks, 0);
end;

create trigger runs_enlarged_are_counted after update of reserved_ticks on runs
when old.state = 'running' and new.state = 'running' and new.reserved_ticks > old.reserved_ticks begin
  insert into team_months values (new.team_id, cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer), 0, new.reserved_ticks - old.reserved_ticks)
  on conflict do update set reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer)
    where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks;
end;

-- A run is counted in the budgets of its key, its member and its team, and refused beyond one.
create trigger runs_begun_are_budgeted after insert on runs
when new.state <> 'interrupted'
  and exists (select 1 from budgets where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id) begin
  insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, case period
      when 'day' then new.start_time - new.start_time % 86400000
      when 'week' then new.start_time - (new.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', new.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end,
      iif(new.state = 'running', 0, new.cost_ticks), iif(new.state = 'running', 0, new.prompt_tokens + new.completion_tokens + new.reasoning_tokens),
      iif(new.state = 'running', coalesce(new.bound_ticks, 0), 0),
      iif(new.state = 'running', coalesce(new.bound_tokens, 0), 0)
    from budgets where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id
  on conflict do update set spent_ticks = spent_ticks + excluded.spent_ticks,
    spent_tokens = spent_tokens + excluded.spent_tokens,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = reserved_tokens + excluded.reserved_tokens;
  select raise(abort, 'budget') from budgets join budget_periods as spent using (subject_id, team_id, period)
    where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id and new.state = 'running'
    and spent.start_time = case period
      when 'day' then new.start_time - new.start_time % 86400000
      when 'week' then new.start_time - (new.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', new.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end
    and ((new.bound_ticks > 0 and spent_ticks + reserved_ticks > hard_ticks)
      or (new.bound_tokens > 0 and spent_tokens + reserved_tokens > hard_tokens));
end;

create trigger runs_ended_are_budgeted after update of state on runs
when old.state = 'running' and new.state <> 'running' begin
  update budget_periods set
    spent_ticks = spent_ticks + iif(new.state = 'interrupted', 0, new.cost_ticks),
    spent_tokens = spent_tokens + iif(new.state = 'interrupted', 0, new.prompt_tokens + new.completion_tokens + new.reasoning_tokens),
    reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
  where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = case period
      when 'day' then old.start_time - old.start_time % 86400000
      when 'week' then old.start_time - (old.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', old.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end;
end;

create trigger runs_enlarged_are_budgeted after update of bound_ticks, bound_tokens on runs
when old.state = 'running' and new.state = 'running' begin
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id in (select old.api_key_id union all select old.user_id union all select old.team_id
      union all select value from run_labels, json_each(run_labels.subjects) where run_id = old.id) and team_id = old.team_id and start_time = case period
      when 'day' then old.start_time - old.start_time % 86400000
      when 'week' then old.start_time - (old.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', old.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end;
  select raise(abort, 'budget') from budgets join budget_periods as spent using (subject_id, team_id, period)
    where subject_id in (select old.api_key_id union all select old.user_id union all select old.team_id
      union all select value from run_labels, json_each(run_labels.subjects) where run_id = old.id) and team_id = new.team_id and spent.start_time = case period
      when 'day' then old.start_time - old.start_time % 86400000
      when 'week' then old.start_time - (old.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', old.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end
    and ((new.bound_ticks > old.bound_ticks and spent_ticks + reserved_ticks > hard_ticks)
      or (new.bound_tokens > old.bound_tokens and spent_tokens + reserved_tokens > hard_tokens));
end;

-- The row of labels is inserted after the run, in its transaction: the run is counted in the budgets and the usage of its labels.
create trigger labelled_runs_are_budgeted after insert on run_labels
when new.subjects <> '[]'
  and exists (select 1 from runs as run join budgets on budgets.team_id = run.team_id and budgets.subject_id in (select value from json_each(new.subjects)) where run.id = new.run_id) begin
  insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, run.team_id, period, case period
      when 'day' then run.start_time - run.start_time % 86400000
      when 'week' then run.start_time - (run.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', run.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end,
      iif(run.state = 'running', 0, run.cost_ticks), iif(run.state = 'running', 0, run.prompt_tokens + run.completion_tokens + run.reasoning_tokens),
      iif(run.state = 'running', coalesce(run.bound_ticks, 0), 0),
      iif(run.state = 'running', coalesce(run.bound_tokens, 0), 0)
    from runs as run join budgets on budgets.team_id = run.team_id and budgets.subject_id in (select value from json_each(new.subjects)) where run.id = new.run_id and run.state <> 'interrupted'
  on conflict do update set spent_ticks = spent_ticks + excluded.spent_ticks,
    spent_tokens = spent_tokens + excluded.spent_tokens,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = reserved_tokens + excluded.reserved_tokens;
  select raise(abort, 'budget') from runs as run join budgets on budgets.team_id = run.team_id and budgets.subject_id in (select value from json_each(new.subjects))
    join budget_periods as spent on spent.subject_id = budgets.subject_id and spent.team_id = budgets.team_id
      and spent.period = budgets.period and spent.start_time = case budgets.period
      when 'day' then run.start_time - run.start_time % 86400000
      when 'week' then run.start_time - (run.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', run.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end
    where run.id = new.run_id and run.state = 'running'
    and ((run.bound_ticks > 0 and spent.spent_ticks + spent.reserved_ticks > hard_ticks)
      or (run.bound_tokens > 0 and spent.spent_tokens + spent.reserved_tokens > hard_tokens));
end;

create trigger labelled_runs_ended_are_summed after insert on run_labels
when new.subjects <> '[]' and exists (select 1 from runs where id = new.run_id and state not in ('running', 'interrupted')) begin
  insert into usage_label_hours (team_id, kind, hour, label, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    select run.team_id, kind, run.start_time - run.start_time % 3600000, label, run.model, coalesce(run.asked_model, run.model),
      run.api_key_id, 1, run.prompt_tokens, run.cached_tokens, run.image_tokens, run.completion_tokens, run.reasoning_tokens, run.images, run.cost_ticks, iif(run.reserved_ticks is null, 0, run.cost_ticks)
    from runs as run join (
      select distinct kind, iif(
        exists (select 1 from budgets where budgets.subject_id = label_id and budgets.team_id = team)
          or exists (select 1 from counted_labels where counted_labels.team_id = team and counted_labels.month = began_in
            and source in (iif(kind = 'user', 'user', 'header'), iif(kind = 'user', 'user', 'metadata'))
            and counted_labels.label = named),
        named, '*') as label
      from (select value as label_id, substr(value, 1, instr(value, ':') - 1) as kind,
          substr(value, instr(value, ':') + 1) as named, labelled.team_id as team,
          cast(strftime('%Y%m', labelled.start_time / 1000, 'unixepoch') as integer) as began_in
        from run_labels join runs as labelled on labelled.id = run_id, json_each(run_labels.subjects) where run_id = new.run_id)
    ) where run.id = new.run_id and run.state not in ('running', 'interrupted')
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
end;

create trigger labelled_runs_are_summed after update of state on runs
when old.state = 'running' and new.state <> 'running'
  and exists (select 1 from run_labels where run_id = new.id and subjects <> '[]') begin
  insert into usage_label_hours (team_id, kind, hour, label, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    select run.team_id, kind, run.start_time - run.start_time % 3600000, label, run.model, coalesce(run.asked_model, run.model),
      run.api_key_id, 1, run.prompt_tokens, run.cached_tokens, run.image_tokens, run.completion_tokens, run.reasoning_tokens, run.images, run.cost_ticks, iif(run.reserved_ticks is null, 0, run.cost_ticks)
    from runs as run join (
      select distinct kind, iif(
        exists (select 1 from budgets where budgets.subject_id = label_id and budgets.team_id = team)
          or exists (select 1 from counted_labels where counted_labels.team_id = team and counted_labels.month = began_in
            and source in (iif(kind = 'user', 'user', 'header'), iif(kind = 'user', 'user', 'metadata'))
            and counted_labels.label = named),
        named, '*') as label
      from (select value as label_id, substr(value, 1, instr(value, ':') - 1) as kind,
          substr(value, instr(value, ':') + 1) as named, labelled.team_id as team,
          cast(strftime('%Y%m', labelled.start_time / 1000, 'unixepoch') as integer) as began_in
        from run_labels join runs as labelled on labelled.id = run_id, json_each(run_labels.subjects) where run_id = new.id)
    ) where run.id = new.id and run.state not in ('running', 'interrupted')
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
  update budget_periods set
    spent_ticks = spent_ticks + iif(new.state = 'interrupted', 0, new.cost_ticks),
    spent_tokens = spent_tokens + iif(new.state = 'interrupted', 0, new.prompt_tokens + new.completion_tokens + new.reasoning_tokens),
    reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
  where subject_id in (select value from run_labels, json_each(run_labels.subjects) where run_id = new.id)
    and team_id = old.team_id and start_time = case period
      when 'day' then old.start_time - old.start_time % 86400000
      when 'week' then old.start_time - (old.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', old.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end;
end;

-- A run that ends, or is inserted as ended, is added to the sums of its hour, day and month.
create trigger runs_are_rolled_up after update of state on runs
when old.state = 'running' and new.state not in ('running', 'interrupted') begin
  insert into usage_hours values (
    new.team_id, new.start_time - new.start_time % 3600000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks,
    images = images + excluded.images;
  insert into usage_days values (
    new.team_id, new.start_time - new.start_time % 86400000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks,
    images = images + excluded.images;
  insert into usage_months values (
    new.team_id, cast(strftime('%Y%m', new.start_time / 1000, 'unixepoch') as integer), new.model, coalesce(new.price_id, 0), new.image_ticks,
    new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
    new.images, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks))
  on conflict do update set
    evaluated_tokens = evaluated_tokens + excluded.evaluated_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
end;

create trigger runs_ended_are_rolled_up after insert on runs
when new.state not in ('running', 'interrupted') begin
  insert into usage_hours values (
    new.team_id, new.start_time - new.start_time % 3600000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks,
    images = images + excluded.images;
  insert into usage_days values (
    new.team_id, new.start_time - new.start_time % 86400000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks,
    images = images + excluded.images;
  insert into usage_months values (
    new.team_id, cast(strftime('%Y%m', new.start_time / 1000, 'unixepoch') as integer), new.model, coalesce(new.price_id, 0), new.image_ticks,
    new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
    new.images, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks))
  on conflict do update set
    evaluated_tokens = evaluated_tokens + excluded.evaluated_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
end;

-- A deleted budget takes its periods with it.
create trigger budgets_end after delete on budgets begin
  delete from budget_periods where subject_id = old.subject_id and team_id = old.team_id and period = old.period;
end;

-- A deleted run takes its labels and bodies with it, and is added to the sums of deleted runs; an interrupted run counts for nothing.
create trigger runs_deleted_are_summed after delete on runs when old.state <> 'running' begin
  delete from run_labels where run_id = old.id;
  insert into deleted_runs values (
    old.team_id, old.start_time - old.start_time % 3600000, old.model, coalesce(old.asked_model, old.model),
    old.api_key_id, coalesce(old.user_id, ''), coalesce(old.price_id, 0), old.image_ticks,
    old.state <> 'interrupted', old.price_id is not null and old.cost_ticks > 0,
    old.price_id is not null and old.cost_ticks = 0 and coalesce(old.reserved_ticks, 0) > 0,
    iif(old.state = 'interrupted', 0, old.prompt_tokens), iif(old.state = 'interrupted', 0, old.cached_tokens), iif(old.state = 'interrupted', 0, old.image_tokens), iif(old.state = 'interrupted', 0, old.completion_tokens), iif(old.state = 'interrupted', 0, old.reasoning_tokens), iif(old.state = 'interrupted', 0, old.images), iif(old.state = 'interrupted', 0, old.cost_ticks),
    iif(old.reserved_ticks is null, 0, old.cost_ticks))
  on conflict do update set runs = runs + excluded.runs,
    charged_runs = charged_runs + excluded.charged_runs,
    released_runs = released_runs + excluded.released_runs,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
end;

create trigger runs_deleted_with_bodies after delete on runs begin
  delete from request_bodies where run_id = old.id;
end;

-- The bytes of all request bodies.
create trigger request_bodies_added after insert on request_bodies begin
  update request_bodies_total set bytes = bytes + new.bytes;
end;

create trigger request_bodies_deleted after delete on request_bodies begin
  update request_bodies_total set bytes = bytes - old.bytes;
end;
