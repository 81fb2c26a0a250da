import type { Migration } from "../migration.js";

/** Adds the rate limits of teams on models; `*` is every model without a row of its own, null = no limit. */
export const teamLimits: Migration = [
  `create table team_limits (
  team_id text not null references teams (id),
  model text not null,
  qps integer check (qps > 0),
  qpm integer check (qpm > 0),
  tpm integer check (tpm > 0),
  primary key (team_id, model),
  check (coalesce(qps, qpm, tpm) is not null)
) strict, without rowid`,
];
