/** SQL that takes a database from version 27 to 26, as a server of that version would have left it. */
export const undoBudgets = [
  ...["runs_begun_are_budgeted", "runs_ended_are_budgeted", "api_keys_end_their_budgets"].map(
    (name) => `drop trigger ${name};`,
  ),
  "drop table budget_periods;",
  "drop table budgets;",
  "drop index usage_hours_by_key;",
  ...["user_id", "bound_ticks", "bound_tokens"].map((name) => `alter table runs drop column ${name};`),
  "pragma user_version = 26;",
].join("\n");
