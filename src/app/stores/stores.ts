/** The part of the composition root that opens the data folder and builds the stores over its database. */
import type { Config } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import { silentLogger, type Logger } from "../../core/logger.js";
import type { Random } from "../../core/random.js";
import { createFileStore } from "../../inference/files/store.js";
import { createImageStore } from "../../inference/images/store.js";
import { createConversationStore } from "../../inference/conversations/store/conversations.js";
import { createCompletionStore } from "../../inference/completions/store.js";
import { createResponseStore } from "../../inference/responses/store/responses.js";
import { createRequestBodyStore } from "../../inference/bodies/store.js";
import { createRequestStore } from "../../inference/requests/store.js";
import { createRunLabelStore } from "../../inference/run/store/run-labels.js";
import { createRunStore } from "../../inference/run/store/runs.js";
import { createAlertStore } from "../../jobs/alerts/store/alerts.js";
import { createChannelStore } from "../../jobs/alerts/store/channels.js";
import { createDeliveryStore } from "../../jobs/alerts/store/deliveries.js";
import { createBatchStore } from "../../jobs/batches/store/batches.js";
import { createBatchLineStore } from "../../jobs/batches/store/lines.js";
import { createDeferredStore } from "../../jobs/deferred/store.js";
import { createPullStore } from "../../jobs/pulls/store.js";
import { createMcpApprovalStore } from "../../answers/mcp/store.js";
import { createStoredObjectStore } from "../../jobs/stored/store.js";
import { createJobStore } from "../../jobs/store.js";
import { checkAfterUncleanEnd, markRunning, type UncleanEnd } from "../../store/backup/unclean-end.js";
import { openDatabase, type Database } from "../../store/database.js";
import { lockFolder } from "../../store/lock.js";
import type { NewDatabase } from "../../store/lost-database.js";
import { systemClock } from "../../system/clock.js";
import { buildAccountStores } from "../accounts.js";
import { databaseFile, imagesFolder } from "../../store/data-folder.js";
import { openForServer } from "./open-database.js";

export type Stores = ReturnType<typeof buildStores>;

const dayMs = 24 * 60 * 60 * 1000;

export function buildStores(config: Config, database: Database, random: Random) {
  const runLabels = createRunLabelStore(database, config.runLabelsKeptDays * dayMs);
  return {
    ...buildAccountStores(database),
    broadcast: database.broadcast,
    nodes: database.nodes,
    runs: createRunStore(database, runLabels),
    runLabels,
    requests: createRequestStore(database),
    bodyStore: createRequestBodyStore(database),
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    completions: createCompletionStore(database),
    conversations: createConversationStore(database),
    files: createFileStore(database),
    batches: createBatchStore(database),
    batchLines: createBatchLineStore(database),
    storedObjectStore: createStoredObjectStore(database),
    pulls: createPullStore(database),
    approvals: createMcpApprovalStore(database),
    alerts: createAlertStore(database),
    alertChannels: createChannelStore(database),
    alertDeliveries: createDeliveryStore(database),
    images: createImageStore(database, {
      folder: imagesFolder(config),
      bytesMax: config.imagesBytesMax,
      random,
    }),
  };
}

/** The data folder, opened for as long as the server runs. */
export interface DataFolder {
  readonly database: Database;
  /** Releases the folder after its database was closed. */
  readonly unlock: () => void;
}

export interface DataFolderOverrides {
  readonly database?: Database;
  readonly newDatabase?: NewDatabase;
  readonly reportsWorkerUrl?: URL | null;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Locks the data folder, checks its database after an unclean end, and opens it.
 * @throws Error with one clear sentence when the data folder cannot be used.
 */
export async function openDataFolder(config: Config, overrides: DataFolderOverrides): Promise<DataFolder> {
  const { clock = systemClock, logger = silentLogger } = overrides;
  const unlock = lockFolder(config.data);
  try {
    if (overrides.database !== undefined) return { database: overrides.database, unlock };
    if (config.databaseUrl !== null) {
      if (overrides.newDatabase === "allowed")
        throw new Error("--new-database is for SQLite, and databaseUrl names a PostgreSQL database");
      return { database: await openForServer(config.databaseUrl, config), unlock };
    }
    const file = databaseFile(config);
    reportUncleanEnd(checkAfterUncleanEnd(file, clock), logger);
    const { reportsWorkerUrl = new URL("../../store/sqlite/reports/worker.js", import.meta.url) } = overrides;
    const database = await openDatabase(file, { ...overrides, reportsWorkerUrl });
    const endCleanly = markRunning(file);
    return {
      database,
      unlock() {
        endCleanly();
        unlock();
      },
    };
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

function reportUncleanEnd(end: UncleanEnd | null, logger: Logger): void {
  if (end === null) return;
  if (end.check === null)
    logger.warn({}, "the server did not end cleanly; its database is too large to be checked at the start");
  else logger.info({ ...end }, "the server did not end cleanly; its database was checked and is sound");
}
