/** Moves the data of a server from SQLite to PostgreSQL. */
import { existsSync } from "node:fs";
import { createLedgerStore } from "../accounts/money/store/ledger.js";
import type { Config } from "../config/config.js";
import type { OnProgress } from "../core/report/progress.js";
import { lockFolder } from "../store/folder/lock.js";
import { openDatabase, type Database } from "../store/database.js";
import type { MoveReport } from "../store/postgres/move.js";
import { systemClock } from "../system/clock.js";
import { databaseFile } from "../store/data-folder.js";

export type { MoveReport };

/**
 * Moves everything of the data folder's SQLite database into the PostgreSQL database that `databaseUrl` names. The ledger of both is
 * verified. The SQLite file stays as it is.
 * @throws Error with one sentence.
 */
export async function moveDatabase(config: Config, onProgress: OnProgress): Promise<MoveReport> {
  const { databaseUrl: url } = config;
  const file = databaseFile(config);
  if (url === null)
    throw new Error("set databaseUrl (HEARTH_DATABASE_URL) to the PostgreSQL database to move into");
  if (!existsSync(file))
    throw new Error(`there is no database in the data folder ${config.data}: nothing to move`);
  const unlock = lockFolder(config.data, 0);
  try {
    // Opening it migrates it to the newest schema.
    await verified(
      await openDatabase(file),
      onProgress,
      "the ledger of the SQLite database does not balance",
    );
    const { moveToPostgres } = await import("../store/postgres/move.js");
    const { openMoved } = await import("../store/postgres/open.js");
    return await moveToPostgres({
      file,
      url,
      clock: systemClock,
      onProgress,
      verify: async () =>
        verified(openMoved(url, systemClock), onProgress, "the ledger does not balance after the move"),
    });
  } finally {
    unlock();
  }
}

/** @throws Error with the first problem of the ledger. */
async function verified(database: Database, onProgress: OnProgress, what: string): Promise<void> {
  try {
    const [problem] = await createLedgerStore(database).verify(onProgress);
    if (problem !== undefined) throw new Error(`${what}: ${problem}`);
  } finally {
    await database.close();
  }
}
