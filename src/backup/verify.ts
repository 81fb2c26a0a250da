/** Checks that the extracted files of a backup make up the data of a server. */
import { createLedgerStore } from "../accounts/money/store/ledger.js";
import type { OnProgress } from "../core/report/progress.js";
import { findDamage } from "../store/backup/damage.js";
import { openDatabase } from "../store/database.js";
import { databaseFile } from "../store/data-folder.js";

export interface VerifyOptions {
  /** Whether a ledger that does not balance is accepted. */
  readonly allowUnbalanced: boolean;
}

/**
 * Checks the pages and indexes of the extracted database, migrates it to the schema of this version, and recomputes its ledger.
 * @throws Error with one clause, without the path of the backup.
 */
export async function verifyExtracted(
  data: string,
  { allowUnbalanced, onProgress }: VerifyOptions & { readonly onProgress: OnProgress },
): Promise<void> {
  const file = databaseFile({ data });
  const damage = findDamage(file, "whole");
  if (damage !== null) throw new Error(`its database is damaged: ${damage}`);
  const database = await openDatabase(file);
  try {
    const [problem] = await createLedgerStore(database).verify(onProgress);
    if (problem !== undefined && !allowUnbalanced)
      throw new Error(`its ledger does not balance: ${problem} (--unbalanced accepts that)`);
  } finally {
    await database.close();
  }
}
