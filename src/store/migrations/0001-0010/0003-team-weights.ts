import type { Migration } from "../migration.js";

/** Adds a team's share of busy models, relative to other teams. */
export const teamWeights: Migration = [
  `alter table teams add column weight integer not null default 1 check (weight between 1 and 1000)`,
];
