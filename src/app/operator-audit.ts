/** The part of the composition root that writes what commands change about models into the audit log. */
import type { AuditEntry } from "../accounts/audit/audited-change.js";
import { updateSettings } from "../accounts/model-admin.js";
import type { Config } from "../config/config.js";
import type { ModelSettingsStore } from "../models/settings-store.js";
import { hasDatabase } from "../store/data-folder.js";

/** Settings of which each change is noted until it is written. */
export interface AuditedSettings {
  readonly store: ModelSettingsStore;
  /** Runs a change of settings and writes what it changed. @throws what the change throws; then nothing was changed. */
  readonly commit: <Result>(change: () => Result) => Promise<Result>;
}

export function auditSettings(config: Config, store: ModelSettingsStore): AuditedSettings {
  let entries: AuditEntry[] = [];
  return {
    store: { ...store, update: (id, change) => void entries.push(updateSettings(store, id, change)) },
    async commit(change) {
      const result = change();
      const written = entries;
      entries = [];
      await recordEntries(config, written);
      return result;
    },
  };
}

/** Writes entries of the person at the command line. Without a database, no server has run yet, and there is no log. */
export async function recordEntries(config: Config, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0 || !hasDatabase(config)) return;
  const { writeEntries } = await import("./accounts.js");
  await writeEntries(config, entries);
}
