import type { Migration } from "./migration.js";

/** What a team may ask of a model, or with `*` of each model that has no row of its own; null = no such limit. */
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
