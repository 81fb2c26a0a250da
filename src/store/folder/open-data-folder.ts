/** Opens the data folder of a server: locks it, checks its database after an unclean end, and opens the database. */
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import { checkAfterUncleanEnd, markRunning, type UncleanEnd } from "../backup/unclean-end.js";
import { databaseFile } from "../data-folder.js";
import { openDatabase, type Database } from "../database.js";
import { lockFolder } from "./lock.js";
import type { LockHolder } from "./lock-holder.js";
import type { NewDatabase } from "../lost-database.js";

/** The data folder, opened for as long as the server runs. */
export interface DataFolder {
  readonly database: Database;
  /** Releases the folder after its database was closed. */
  readonly unlock: () => void;
}

interface Opening {
  /** Opens the PostgreSQL database that several servers may share; null: SQLite in the data folder. */
  readonly openShared: (() => Promise<Database>) | null;
  /** A database that is open already. */
  readonly database?: Database;
  readonly newDatabase?: NewDatabase;
  /** The process that the error of a second opening names; absent: this one. */
  readonly lockHolder?: LockHolder;
  readonly reportsWorkerUrl?: URL | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @throws Error with one clear sentence when the data folder cannot be used. */
export async function openDataFolder(data: string, opening: Opening): Promise<DataFolder> {
  const unlock = lockFolder(data, undefined, opening.lockHolder);
  try {
    const { database, openShared } = opening;
    if (database !== undefined) return { database, unlock };
    if (openShared === null) return await openSqlite(databaseFile({ data }), opening, unlock);
    if (opening.newDatabase === "allowed")
      throw new Error("--new-database is for SQLite, and databaseUrl names a PostgreSQL database");
    return { database: await openShared(), unlock };
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

async function openSqlite(file: string, opening: Opening, unlock: () => void): Promise<DataFolder> {
  reportUncleanEnd(checkAfterUncleanEnd(file, opening.clock), opening.logger);
  const { newDatabase, reportsWorkerUrl = new URL("../sqlite/reports/worker.js", import.meta.url) } = opening;
  const database = await openDatabase(file, { newDatabase, reportsWorkerUrl });
  const endCleanly = markRunning(file);
  return {
    database,
    unlock() {
      endCleanly();
      unlock();
    },
  };
}

function reportUncleanEnd(end: UncleanEnd | null, logger: Logger): void {
  if (end === null) return;
  if (end.check === null)
    logger.warn({}, "the server did not end cleanly; its database is too large to be checked at the start");
  else logger.info({ ...end }, "the server did not end cleanly; its database was checked and is sound");
}
