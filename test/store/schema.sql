CREATE TABLE access_groups (
  name text primary key,
  description text not null,
  acls text not null,
  create_time integer not null,
  modify_time integer not null
) strict, without rowid;

CREATE TABLE alert_channels (
  id text primary key not null,
  team_id text references teams (id),
  kind text not null check (kind in ('webhook', 'email')),
  target text not null,
  secret text,
  credit_ticks integer check (credit_ticks >= 0),
  create_time integer not null
) strict, without rowid;

CREATE TABLE alert_deliveries (
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

CREATE INDEX alert_deliveries_by_channel on alert_deliveries (channel_id, create_time, id);

CREATE INDEX alert_deliveries_due on alert_deliveries (next_time) where state = 'queued';

CREATE INDEX alert_deliveries_ended on alert_deliveries (end_time) where end_time is not null;

CREATE TABLE alerts (
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

CREATE UNIQUE INDEX alerts_active on alerts (kind, subject) where resolve_time is null;

CREATE INDEX alerts_by_time on alerts (raise_time, id);

CREATE TRIGGER api_keys_end_their_budgets after delete on api_keys begin
  delete from budgets where subject_id = old.id;
end;

CREATE TRIGGER api_keys_keep_their_owner before update of team_id, user_id on api_keys
when new.team_id <> old.team_id or new.user_id <> old.user_id begin
  select raise(abort, 'the team and the owner of an API key do not change');
end;

CREATE TRIGGER api_keys_stay_known after delete on api_keys begin
  insert into removed_keys (id, team_id, user_id, name) values (old.id, old.team_id, old.user_id, old.name)
    on conflict do nothing;
end;

CREATE TABLE api_keys (
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
  modified_by text not null
, qps integer check (qps > 0), qpm integer check (qpm > 0), tpm integer check (tpm > 0), previous_hash blob check (length(previous_hash) = 32), previous_expire_time integer
  check ((previous_expire_time is null) = (previous_hash is null)), ip_ranges text check (json_type(ip_ranges) = 'array'), last_use_time integer, end_user_qpm integer check (end_user_qpm > 0), end_user_tpm integer check (end_user_tpm > 0)) strict;

CREATE UNIQUE INDEX api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;

CREATE INDEX api_keys_by_team on api_keys (team_id, create_time, id);

CREATE TRIGGER audit_events_unchanged before update on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end;

CREATE TRIGGER audit_events_undeleted before delete on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end;

CREATE TRIGGER audit_events_unreplaced before insert on audit_events
when exists (select 1 from audit_events where entry = new.entry or id = new.id)
begin
  select raise(abort, 'the audit log is append-only');
end;

CREATE TABLE audit_events (
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

CREATE INDEX audit_events_by_team on audit_events (team_id, time, entry);

CREATE INDEX audit_events_by_time on audit_events (time, entry);

CREATE TABLE batch_lines (
  batch_id text not null references batches (id),
  line integer not null,
  custom_id text not null,
  state text not null check (state in ('waiting', 'queued', 'succeeded', 'errored')),
  body text not null,
  result text,
  primary key (batch_id, line),
  check ((result is null) = (state in ('waiting', 'queued')))
) strict;

CREATE INDEX batch_lines_queued on batch_lines (batch_id) where state = 'queued';

CREATE TABLE batches (
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
, user_id text, tags text) strict;

CREATE INDEX batches_by_end on batches (end_time) where end_time is not null;

CREATE INDEX batches_by_team on batches (team_id, create_time, id);

CREATE INDEX batches_open on batches (team_id, expire_time) where end_time is null;

CREATE TABLE budget_periods (
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

CREATE TRIGGER budgets_end after delete on budgets begin
  delete from budget_periods where subject_id = old.subject_id and team_id = old.team_id and period = old.period;
end;

CREATE TABLE "budgets" (
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

CREATE INDEX budgets_by_team on budgets (team_id, create_time, subject_id, period);

CREATE TABLE chat_completions (
  entry integer primary key not null,
  id text not null unique,
  team_id text not null references teams (id),
  model text not null,
  create_time integer not null,
  expire_time integer not null,
  metadata text not null,
  messages text not null,
  body text not null
, user_id text) strict;

CREATE INDEX chat_completions_by_expiry on chat_completions (expire_time);

CREATE INDEX chat_completions_by_model on chat_completions (team_id, model, entry, metadata);

CREATE INDEX chat_completions_by_team on chat_completions (team_id, entry, metadata);

CREATE TABLE console_sessions (
  id text primary key not null,
  hash blob not null check (length(hash) = 32),
  member_id text not null references members (id),
  create_time integer not null,
  last_use_time integer not null,
  expire_time integer not null
) strict;

CREATE INDEX console_sessions_by_expiry on console_sessions (expire_time);

CREATE UNIQUE INDEX console_sessions_by_hash on console_sessions (hash);

CREATE INDEX console_sessions_by_member on console_sessions (member_id, create_time, id);

CREATE TABLE conversation_items (
  entry integer primary key not null,
  conversation_id text not null references conversations (id) on delete cascade,
  id text not null,
  bytes integer not null check (bytes >= 0),
  body text not null,
  unique (conversation_id, id)
) strict;

CREATE INDEX conversation_items_by_age on conversation_items (conversation_id, entry, bytes);

CREATE TABLE conversations (
  id text primary key not null,
  team_id text not null references teams (id),
  create_time integer not null,
  metadata text not null
) strict;

CREATE INDEX conversations_by_team on conversations (team_id);

CREATE TABLE counted_labels (
  team_id text not null,
  month integer not null,
  source text not null check (source in ('header', 'metadata', 'user')),
  label text not null,
  primary key (team_id, month, source, label)
) strict, without rowid;

CREATE TABLE deferred_completions (
  id text primary key not null,
  team_id text not null references teams (id),
  state text not null check (state in ('pending', 'done', 'failed')),
  create_time integer not null,
  expire_time integer,
  outcome text, user_id text,
  check ((state = 'pending') = (expire_time is null)),
  check ((state = 'pending') = (outcome is null))
) strict;

CREATE INDEX deferred_completions_by_expiry on deferred_completions (expire_time) where expire_time is not null;

CREATE INDEX deferred_completions_by_team on deferred_completions (team_id, create_time, id);

CREATE TABLE deleted_runs (
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

CREATE INDEX deleted_runs_without_user on deleted_runs (api_key_id) where user_id = '';

CREATE TABLE files (
  id text primary key not null,
  team_id text not null references teams (id),
  purpose text not null,
  filename text not null,
  mime_type text not null,
  bytes integer not null check (bytes >= 0),
  create_time integer not null,
  expire_time integer
, user_id text) strict;

CREATE INDEX files_by_expiry on files (expire_time) where expire_time is not null;

CREATE INDEX files_by_team on files (team_id, create_time, id);

CREATE TABLE hosted_prices (
  id integer primary key not null,
  alias text not null,
  prompt_ticks integer not null check (prompt_ticks >= 0),
  cached_ticks integer not null check (cached_ticks >= 0),
  completion_ticks integer not null check (completion_ticks >= 0),
  create_time integer not null
) strict;

CREATE INDEX hosted_prices_by_alias on hosted_prices (alias, id);

CREATE TABLE "jobs" (
  id text primary key not null,
  kind text not null check (kind in ('deferred-completion', 'background-response', 'batch-line')),
  team_id text not null references teams (id),
  api_key_id text not null,
  endpoint text not null,
  attempts integer not null check (attempts >= 0),
  lease_until integer,
  create_time integer not null,
  body text not null
, tags text, node_id integer) strict;

CREATE INDEX jobs_attempted on jobs (attempts, create_time, id, kind) where attempts > 0;

CREATE INDEX jobs_by_age on jobs (kind, create_time, id, lease_until);

CREATE INDEX jobs_held on jobs (kind, lease_until) where lease_until is not null;

CREATE TABLE kept_images (
  name text primary key not null,
  run_id text not null,
  bytes integer not null check (bytes > 0),
  expire_time integer not null
) strict, without rowid;

CREATE INDEX kept_images_by_expiry on kept_images (expire_time);

CREATE TABLE ledger_balances (
  team_id text not null references teams (id),
  account text not null,
  balance_ticks integer not null,
  primary key (team_id, account),
  constraint no_overdraft check (account not in ('credit', 'reserved') or balance_ticks >= 0),
  constraint countable check (account not in ('credit', 'reserved') or balance_ticks <= 9007199254740991)
) strict, without rowid;

CREATE TRIGGER ledger_entries_are_counted after insert on ledger_entries begin
  insert into ledger_balances (team_id, account, balance_ticks)
    select team_id, new.account, 0 from ledger_transactions where id = new.transaction_id
    on conflict do nothing;
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = (select team_id from ledger_transactions where id = new.transaction_id)
    and account = new.account;
end;

CREATE TRIGGER ledger_entries_refuse_delete before delete on ledger_entries begin
  select raise(abort, 'the ledger is append-only');
end;

CREATE TRIGGER ledger_entries_refuse_update before update on ledger_entries begin
  select raise(abort, 'the ledger is append-only');
end;

CREATE TABLE ledger_entries (
  transaction_id integer not null references ledger_transactions (id),
  account text not null check (account in ('credit', 'reserved', 'owed', 'revenue', 'purchases', 'adjustments')),
  amount_ticks integer not null check (amount_ticks <> 0),
  primary key (transaction_id, account)
) strict, without rowid;

CREATE TRIGGER ledger_transactions_refuse_delete before delete on ledger_transactions begin
  select raise(abort, 'the ledger is append-only');
end;

CREATE TRIGGER ledger_transactions_refuse_update before update on ledger_transactions begin
  select raise(abort, 'the ledger is append-only');
end;

CREATE TABLE ledger_transactions (
  id integer primary key not null,
  kind text not null check (kind in ('reserve', 'settle', 'release', 'purchase', 'refund', 'adjust')),
  team_id text not null references teams (id),
  run_id text,
  note text,
  create_time integer not null,
  check ((run_id is null) = (kind in ('purchase', 'refund', 'adjust')))
) strict;

CREATE INDEX ledger_money on ledger_transactions (team_id, create_time) where run_id is null;

CREATE INDEX ledger_reserves on ledger_transactions (run_id) where kind = 'reserve';

CREATE UNIQUE INDEX ledger_run_ends on ledger_transactions (run_id) where kind in ('settle', 'release');

CREATE INDEX ledger_transactions_by_team on ledger_transactions (team_id, create_time);

CREATE TABLE management_keys (
  id text primary key not null,
  team_id text references teams (id),
  user_id text not null,
  name text not null,
  hash blob not null unique check (length(hash) = 32),
  redacted text not null,
  acls text not null check (json_type(acls) = 'array'),
  expire_time integer,
  create_time integer not null,
  modify_time integer not null
, ip_ranges text check (json_type(ip_ranges) = 'array'), last_use_time integer) strict;

CREATE TABLE mcp_approvals (
  team_id text not null references teams (id),
  id text not null,
  expire_time integer not null,
  primary key (team_id, id)
) strict, without rowid;

CREATE INDEX mcp_approvals_by_expiry on mcp_approvals (expire_time);

CREATE TABLE member_identities (
  issuer text not null,
  subject text not null,
  member_id text not null references members (id),
  create_time integer not null,
  primary key (issuer, subject)
) strict, without rowid;

CREATE UNIQUE INDEX member_identities_by_member on member_identities (member_id, issuer);

CREATE TABLE member_sign_ins (
  member_id text primary key not null references members (id),
  password text,
  api_key_id text
) strict, without rowid;

CREATE TABLE members (
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

CREATE UNIQUE INDEX members_by_email on members (email_folded) where remove_time is null;

CREATE INDEX members_by_team on members (team_id, create_time, id) where remove_time is null;

CREATE TABLE model_pulls (
  id text primary key not null,
  what text not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  actor text not null,
  create_time integer not null,
  end_time integer,
  model_id text,
  error text, node_id integer,
  check ((end_time is null) = (state in ('queued', 'running'))),
  check ((model_id is null) = (state <> 'done')),
  check ((error is null) = (state <> 'failed'))
) strict;

CREATE INDEX model_pulls_active on model_pulls (create_time, id) where end_time is null;

CREATE INDEX model_pulls_by_age on model_pulls (create_time, id);

CREATE TABLE nodes (
  id integer primary key not null,
  name text not null,
  storage_id text not null,
  start_time integer not null
, limits_place text) strict;

CREATE TABLE price_book (
  id integer primary key not null,
  model text not null,
  prompt_text_token_ticks integer not null check (prompt_text_token_ticks >= 0),
  cached_prompt_text_token_ticks integer not null check (cached_prompt_text_token_ticks >= 0),
  completion_text_token_ticks integer not null check (completion_text_token_ticks >= 0),
  create_time integer not null,
  unique (model, prompt_text_token_ticks, cached_prompt_text_token_ticks, completion_text_token_ticks)
) strict;

CREATE TABLE removed_keys (
  id text primary key not null,
  team_id text not null references teams (id),
  user_id text not null,
  name text
) strict, without rowid;

CREATE INDEX removed_keys_by_owner on removed_keys (user_id, team_id);

CREATE TRIGGER request_bodies_added after insert on request_bodies begin
  update request_bodies_total set bytes = bytes + new.bytes;
end;

CREATE TRIGGER request_bodies_deleted after delete on request_bodies begin
  update request_bodies_total set bytes = bytes - old.bytes;
end;

CREATE TABLE request_bodies (
  run_id text primary key not null,
  team_id text not null references teams (id),
  input text not null,
  output text not null,
  bytes integer not null check (bytes >= 0),
  is_cut integer not null check (is_cut in (0, 1)),
  create_time integer not null,
  expire_time integer not null
) strict;

CREATE INDEX request_bodies_by_creation on request_bodies (create_time, run_id);

CREATE INDEX request_bodies_by_expiry on request_bodies (expire_time);

CREATE INDEX request_bodies_of_team on request_bodies (team_id);

CREATE TABLE request_bodies_total (
  id integer primary key check (id = 1),
  bytes integer not null check (bytes >= 0)
) strict;

CREATE TABLE response_events (
  response_id text primary key not null references responses (id) on delete cascade,
  events blob not null
) strict;

CREATE TABLE response_items (
  entry integer primary key not null,
  response_id text not null references responses (id) on delete cascade,
  team_id text not null,
  side text not null check (side in ('input', 'output')),
  position integer not null check (position >= 0),
  id text not null,
  body text not null,
  unique (response_id, side, position)
) strict;

CREATE INDEX response_items_by_id on response_items (team_id, id);

CREATE TABLE responses (
  id text primary key not null,
  team_id text not null references teams (id),
  previous_id text,
  status text not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  background integer not null check (background in (0, 1)),
  streamed integer not null check (streamed in (0, 1)),
  create_time integer not null,
  expire_time integer not null,
  body text not null
, conversation_id text, user_id text) strict;

CREATE INDEX responses_by_team on responses (team_id, create_time, id);

CREATE INDEX responses_ended on responses (expire_time) where status not in ('queued', 'in_progress');

CREATE INDEX responses_of_conversations on responses (conversation_id)
where conversation_id is not null and status in ('queued', 'in_progress');

CREATE TRIGGER labelled_runs_are_budgeted after insert on run_labels
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

CREATE TRIGGER labelled_runs_ended_are_summed after insert on run_labels
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

CREATE TABLE run_labels (
  run_id text primary key not null,
  expire_time integer not null,
  labels text not null
, subjects text not null default '[]') strict, without rowid;

CREATE INDEX run_labels_by_expiry on run_labels (expire_time);

CREATE TRIGGER labelled_runs_are_summed after update of state on runs
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

CREATE TRIGGER runs_are_rolled_up after update of state on runs
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

CREATE TRIGGER runs_begun_are_budgeted after insert on runs
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

CREATE TRIGGER runs_begun_are_counted after insert on runs
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

CREATE TRIGGER runs_deleted_are_summed after delete on runs when old.state <> 'running' begin
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

CREATE TRIGGER runs_deleted_with_bodies after delete on runs begin
  delete from request_bodies where run_id = old.id;
end;

CREATE TRIGGER runs_ended_are_budgeted after update of state on runs
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

CREATE TRIGGER runs_ended_are_counted after update of state on runs
when old.state = 'running' and new.state <> 'running' and (new.cost_ticks > 0 or old.reserved_ticks > 0) begin
  insert into team_months values (old.team_id, cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer), new.cost_ticks, 0)
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks - coalesce(old.reserved_ticks, 0);
end;

CREATE TRIGGER runs_ended_are_rolled_up after insert on runs
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

CREATE TRIGGER runs_enlarged_are_budgeted after update of bound_ticks, bound_tokens on runs
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

CREATE TRIGGER runs_enlarged_are_counted after update of reserved_ticks on runs
when old.state = 'running' and new.state = 'running' and new.reserved_ticks > old.reserved_ticks begin
  insert into team_months values (new.team_id, cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer), 0, new.reserved_ticks - old.reserved_ticks)
  on conflict do update set reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = cast(strftime('%Y%m', old.start_time / 1000, 'unixepoch') as integer)
    where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks;
end;

CREATE TABLE runs (
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
  end_time integer, price_id integer references price_book (id), reserved_ticks integer check (reserved_ticks >= 0), asked_model text, images integer not null default 0 check (images >= 0), image_ticks integer not null default 0 check (image_ticks >= 0), user_id text, bound_ticks integer check (bound_ticks >= 0), bound_tokens integer check (bound_tokens >= 0), create_time integer, streamed integer check (streamed in (0, 1)), first_token_ms integer check (first_token_ms >= 0), finish_reason text, error_kind text, node_id integer,
  check ((state = 'running') = (end_time is null))
) strict;

CREATE INDEX runs_by_creation on runs (create_time, id);

CREATE INDEX runs_by_team on runs (team_id, start_time);

CREATE INDEX runs_failed on runs (start_time, team_id) where state = 'failed';

CREATE INDEX runs_of_key on runs (api_key_id, create_time, id);

CREATE INDEX runs_of_team on runs (team_id, create_time, id);

CREATE INDEX runs_running on runs (state) where state = 'running';

CREATE INDEX runs_without_user on runs (api_key_id) where user_id is null;

CREATE TABLE sign_in_links (
  hash blob primary key not null check (length(hash) = 32),
  member_id text references members (id),
  expire_time integer not null
) strict, without rowid;

CREATE UNIQUE INDEX sign_in_links_by_member on sign_in_links (coalesce(member_id, ''));

CREATE TABLE spending_limits (
  team_id text primary key not null references teams (id),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0)
) strict, without rowid;

CREATE TABLE team_limits (
  team_id text not null references teams (id),
  model text not null,
  qps integer check (qps > 0),
  qpm integer check (qpm > 0),
  tpm integer check (tpm > 0),
  primary key (team_id, model),
  check (coalesce(qps, qpm, tpm) is not null)
) strict, without rowid;

CREATE TABLE team_months (
  team_id text not null references teams (id),
  month integer not null check (month % 100 between 1 and 12),
  charged_ticks integer not null check (charged_ticks >= 0),
  reserved_ticks integer not null check (reserved_ticks >= 0),
  primary key (team_id, month)
) strict, without rowid;

CREATE TABLE teams (
  id text primary key not null,
  name text not null,
  billing text not null check (billing in ('prepaid', 'unmetered')),
  blocked integer not null check (blocked in (0, 1)),
  create_time integer not null
, weight integer not null default 1 check (weight between 1 and 1000), acls text, keeps_bodies integer not null default 0 check (keeps_bodies in (0, 1)), name_folded text) strict;

CREATE UNIQUE INDEX teams_by_name on teams (name_folded);

CREATE TABLE usage_days (
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

CREATE INDEX usage_days_by_key on usage_days (api_key_id, day);

CREATE TABLE usage_hours (
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
  credit_ticks integer not null, images integer not null default 0,
  primary key (team_id, hour, model, asked_model, api_key_id)
) strict, without rowid;

CREATE INDEX usage_hours_by_key on usage_hours (api_key_id, hour);

CREATE TABLE usage_label_hours (
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

CREATE INDEX usage_label_hours_by_label on usage_label_hours (team_id, kind, label, hour);

CREATE TABLE usage_months (
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

CREATE TABLE used_sign_ins (
  state_hash blob primary key not null check (length(state_hash) = 32),
  expire_time integer not null
) strict, without rowid;

CREATE INDEX used_sign_ins_by_expiry on used_sign_ins (expire_time);

CREATE TABLE write_probes (
  id integer primary key,
  content blob not null
) strict;
