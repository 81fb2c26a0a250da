import { invoices } from "../../src/store/migrations/0011-0020/0018-invoices.js";

const rollUps = ["runs_ended_are_rolled_up", "runs_are_rolled_up"];

/** Takes back migration 48; identities are not managed. */
const undoSignInStates = [
  "drop table used_sign_ins;",
  "alter table member_identities add column is_managed integer not null default 0 check (is_managed in (0, 1));",
].join("\n");

/** Takes back migration 47. */
const undoTeamNames = ["drop index teams_by_name;", "alter table teams drop column name_folded;"].join("\n");

/** Takes back migration 46. */
const undoUsageOfKeys = [
  ...["usage_days_by_key", "usage_label_hours_by_label"],
  ...["runs_without_user", "deleted_runs_without_user"],
]
  .map((name) => `drop index ${name};`)
  .join("\n");

/** Takes back migration 45, and what has followed it. */
export const undoRemovedKeys = [
  undoSignInStates,
  undoTeamNames,
  undoUsageOfKeys,
  ...["api_keys_stay_known", "api_keys_keep_their_owner"].map((name) => `drop trigger ${name};`),
  "drop table removed_keys;",
].join("\n");

/** Takes back migration 40. */
const undoNodes = [
  "drop table nodes;",
  ...["runs", "jobs", "model_pulls"].map((table) => `alter table ${table} drop column node_id;`),
].join("\n");

/** Takes back migration 39. */
const undoEndUserLimits = ["end_user_qpm", "end_user_tpm"]
  .map((name) => `alter table api_keys drop column ${name};`)
  .join("\n");

/** Takes back migration 31: the triggers are those of migration 18 again. */
const undoUsageDays = [
  ...rollUps.map((name) => `drop trigger ${name};`),
  "drop table usage_days;",
  ...invoices
    .filter((statement) => rollUps.some((name) => statement.startsWith(`create trigger ${name} `)))
    .map((statement) => `${statement};`),
].join("\n");

/** Takes back migration 33. */
const undoAlerts = ["alert_deliveries", "alerts", "alert_channels"]
  .map((name) => `drop table ${name};`)
  .join("\n");

/** Takes back migration 32; budgets of tags and end users stay. */
const undoSpendLabels = [
  "drop trigger runs_enlarged_are_budgeted;",
  ...["labelled_runs_are_budgeted", "labelled_runs_ended_are_summed", "labelled_runs_are_summed"].map(
    (name) => `drop trigger ${name};`,
  ),
  ...["counted_labels", "usage_label_hours"].map((name) => `drop table ${name};`),
  "alter table run_labels drop column subjects;",
  ...["jobs", "batches"].map((name) => `alter table ${name} drop column tags;`),
].join("\n");

/** Takes back migration 36. */
const undoTurns = [
  "drop trigger runs_enlarged_are_counted;",
  "drop table mcp_approvals;",
  "drop index ledger_reserves;",
  "create unique index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve';",
].join("\n");

/** Takes back migration 30. */
const undoFailedRuns = "drop index runs_failed;";

/** Takes back migration 29. */
const undoIdentities = "drop table member_identities;";

/** Takes back migration 28. */
const undoRequestLog = [
  ...["runs_deleted_are_summed"].map((name) => `drop trigger ${name};`),
  "drop table deleted_runs;",
  ...["runs_by_creation", "runs_of_team", "runs_of_key"].map((name) => `drop index ${name};`),
  "create index runs_by_time on runs (start_time, id);",
  ...["create_time", "streamed", "first_token_ms", "finish_reason", "error_kind"].map(
    (name) => `alter table runs drop column ${name};`,
  ),
].join("\n");

/** Takes back migration 34. */
const undoAccessGroups = ["drop table access_groups;", "alter table teams drop column acls;"].join("\n");

/** Takes back migration 35. */
const undoRequestBodies = [
  ...["runs_deleted_with_bodies", "request_bodies_added", "request_bodies_deleted"].map(
    (name) => `drop trigger ${name};`,
  ),
  "drop table request_bodies_total;",
  "drop table request_bodies;",
  "alter table teams drop column keeps_bodies;",
].join("\n");

/** Takes back migration 37. */
const undoStoredOwners = [
  "drop index deferred_completions_by_team;",
  "drop index responses_by_team;",
  ...["deferred_completions", "responses", "chat_completions", "files", "batches"].map(
    (table) => `alter table ${table} drop column user_id;`,
  ),
].join("\n");

/** SQL that takes a database from the newest version to 26, as a server of that version would have left it. */
export const undoBudgets = [
  undoRemovedKeys,
  undoNodes,
  undoEndUserLimits,
  undoUsageDays,
  undoAlerts,
  undoSpendLabels,
  undoRequestBodies,
  undoStoredOwners,
  undoAccessGroups,
  undoTurns,
  undoFailedRuns,
  undoIdentities,
  undoRequestLog,
  ...["runs_begun_are_budgeted", "runs_ended_are_budgeted", "api_keys_end_their_budgets"].map(
    (name) => `drop trigger ${name};`,
  ),
  "drop table budget_periods;",
  "drop table budgets;",
  "drop index usage_hours_by_key;",
  ...["user_id", "bound_ticks", "bound_tokens"].map((name) => `alter table runs drop column ${name};`),
  "pragma user_version = 26;",
].join("\n");
