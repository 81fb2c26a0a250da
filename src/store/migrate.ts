import type Sqlite from "better-sqlite3";
import { accounts } from "./migrations/0001-0010/0001-accounts.js";
import { runs } from "./migrations/0001-0010/0002-runs.js";
import { teamWeights } from "./migrations/0001-0010/0003-team-weights.js";
import { jobs } from "./migrations/0001-0010/0004-jobs.js";
import { deferredCompletions } from "./migrations/0001-0010/0005-deferred-completions.js";
import { responses } from "./migrations/0001-0010/0006-responses.js";
import { management } from "./migrations/0001-0010/0007-management.js";
import { audit } from "./migrations/0001-0010/0008-audit.js";
import { ledger } from "./migrations/0001-0010/0009-ledger.js";
import { teamLimits } from "./migrations/0001-0010/0010-team-limits.js";
import { members } from "./migrations/0011-0020/0011-members.js";
import { keyUse } from "./migrations/0011-0020/0012-key-use.js";
import { usageHours } from "./migrations/0011-0020/0013-usage-hours.js";
import { spendingLimits } from "./migrations/0011-0020/0014-spending-limits.js";
import { hostedPrices } from "./migrations/0011-0020/0015-hosted-prices.js";
import { images } from "./migrations/0011-0020/0016-images.js";
import { writeProbes } from "./migrations/0011-0020/0017-write-probes.js";
import { invoices } from "./migrations/0011-0020/0018-invoices.js";
import { interruptedJobs } from "./migrations/0011-0020/0019-interrupted-jobs.js";
import { modelPulls } from "./migrations/0011-0020/0020-model-pulls.js";
import { runLabels } from "./migrations/0021-0030/0023-run-labels.js";
import { chatCompletions } from "./migrations/0021-0030/0022-chat-completions.js";
import { conversations } from "./migrations/0021-0030/0021-conversations.js";
import { files } from "./migrations/0021-0030/0024-files.js";
import { batches } from "./migrations/0021-0030/0025-batches.js";
import { signIn } from "./migrations/0021-0030/0026-sign-in.js";
import { budgets } from "./migrations/0021-0030/0027-budgets.js";
import { requestLog } from "./migrations/0021-0030/0028-request-log.js";
import { identities } from "./migrations/0021-0030/0029-identities.js";
import { failedRuns } from "./migrations/0021-0030/0030-failed-runs.js";
import { turns } from "./migrations/0031-0040/0036-turns.js";
import { accessGroups } from "./migrations/0031-0040/0034-access-groups.js";
import { storedOwners } from "./migrations/0031-0040/0037-stored-owners.js";
import { rateWindows } from "./migrations/0031-0040/0038-rate-windows.js";
import { requestBodies } from "./migrations/0031-0040/0035-request-bodies.js";
import { spendLabels } from "./migrations/0031-0040/0032-spend-labels.js";
import { alerts } from "./migrations/0031-0040/0033-alerts.js";
import { endUserLimits } from "./migrations/0031-0040/0039-end-user-limits.js";
import { usageDays } from "./migrations/0031-0040/0031-usage-days.js";
import { nodes } from "./migrations/0031-0040/0040-nodes.js";
import { rateCounts } from "./migrations/0041-0050/0041-rate-counts.js";
import { balanceUpdates } from "./migrations/0041-0050/0042-balance-updates.js";
import { commitMarks } from "./migrations/0041-0050/0043-commit-marks.js";
import { limitsPlace } from "./migrations/0041-0050/0044-limits-place.js";
import { removedKeys } from "./migrations/0041-0050/0045-removed-keys.js";
import { usageOfKeys } from "./migrations/0041-0050/0046-usage-of-keys.js";
import { teamNames } from "./migrations/0041-0050/0047-team-names.js";
import { signInStates } from "./migrations/0041-0050/0048-sign-in-states.js";
import type { Migration } from "./migrations/migration.js";

/** All migrations, in order; PostgreSQL has one of the same number for each. */
export const migrations: readonly Migration[] = [
  accounts,
  runs,
  teamWeights,
  jobs,
  deferredCompletions,
  responses,
  management,
  audit,
  ledger,
  teamLimits,
  members,
  keyUse,
  usageHours,
  spendingLimits,
  hostedPrices,
  images,
  writeProbes,
  invoices,
  interruptedJobs,
  modelPulls,
  conversations,
  chatCompletions,
  runLabels,
  files,
  batches,
  signIn,
  budgets,
  requestLog,
  identities,
  failedRuns,
  turns,
  accessGroups,
  storedOwners,
  requestBodies,
  spendLabels,
  alerts,
  usageDays,
  endUserLimits,
  rateWindows,
  nodes,
  rateCounts,
  balanceUpdates,
  commitMarks,
  limitsPlace,
  removedKeys,
  usageOfKeys,
  teamNames,
  signInStates,
];

/**
 * Migrates a database to the newest version, each step in its own transaction. The version is stored as SQLite's `user_version`.
 * It takes the write lock even when there is nothing to do, so that a read-only database is detected at once.
 * @throws Error when the database is newer than this program.
 */
export function migrate(sqlite: Sqlite.Database): void {
  // Immediate: waits for another process that migrates the same file, and then sees its changes.
  const step = sqlite.transaction(() => {
    const version = versionOf(sqlite);
    if (version > migrations.length) throw newer(version);
    const migration = migrations[version];
    if (migration === undefined) return false;
    for (const statement of migration) sqlite.exec(statement);
    sqlite.pragma(`user_version = ${version + 1}`);
    return true;
  });
  while (step.immediate());
}

/** Returns the schema version of a database; 0: it has no tables. */
export function versionOf(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma("user_version", { simple: true }));
}

function newer(version: number): Error {
  return new Error(
    `it was written by a newer version of Hearth (schema ${version}; this one knows ${migrations.length}): ` +
      "upgrade Hearth or use another data folder",
  );
}
