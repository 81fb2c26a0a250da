import type { Migration } from "../migration.js";

/**
 * Finds the days of a key and the hours of a label, so that a budget that counts all that a member or a label has ever used is set without
 * reading what others have used. Runs from before budgets have no user: no budget of a member counts them, and two of the indexes find them
 * to leave them out.
 */
export const usageOfKeys: Migration = [
  `create index usage_days_by_key on usage_days (api_key_id, day)`,
  `create index usage_label_hours_by_label on usage_label_hours (team_id, kind, label, hour)`,
  `create index runs_without_user on runs (api_key_id) where user_id is null`,
  `create index deleted_runs_without_user on deleted_runs (api_key_id) where user_id = ''`,
];
