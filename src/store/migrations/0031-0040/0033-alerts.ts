import type { Migration } from "../migration.js";

/**
 * Adds alerts, the channels that they are sent to, and their deliveries. `team_id` null is the whole server. An alert is active until it
 * has a `resolve_time`; there is one for each condition. A delivery is written with the change of its alert, and deleted some time after
 * its end.
 */
export const alerts: Migration = [
  `create table alert_channels (
  id text primary key not null,
  team_id text references teams (id),
  kind text not null check (kind in ('webhook', 'email')),
  target text not null,
  secret text,
  credit_ticks integer check (credit_ticks >= 0),
  create_time integer not null
) strict, without rowid`,
  `create table alerts (
  id text primary key not null,
  team_id text references teams (id),
  kind text not null,
  subject text not null,
  message text not null,
  details text not null,
  raise_time integer not null,
  send_time integer not null,
  resolve_time integer
) strict, without rowid`,
  `create unique index alerts_active on alerts (kind, subject) where resolve_time is null`,
  `create index alerts_by_time on alerts (raise_time, id)`,
  `create table alert_deliveries (
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
) strict, without rowid`,
  `create index alert_deliveries_due on alert_deliveries (next_time) where state = 'queued'`,
  `create index alert_deliveries_by_channel on alert_deliveries (channel_id, create_time, id)`,
  `create index alert_deliveries_ended on alert_deliveries (end_time) where end_time is not null`,
];
