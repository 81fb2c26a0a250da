import type { Migration } from "./migration.js";

/** A team's share of busy models, relative to that of the others. */
export const teamWeights: Migration = [
  `alter table teams add column weight integer not null default 1 check (weight between 1 and 1000)`,
];
