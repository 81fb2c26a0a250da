import type { Migration } from "../migration.js";

/** Adds limits on each end user of a key. Those of a team are rows of its table of limits. */
export const endUserLimits: Migration = [
  `alter table api_keys add column end_user_qpm integer check (end_user_qpm > 0)`,
  `alter table api_keys add column end_user_tpm integer check (end_user_tpm > 0)`,
];
