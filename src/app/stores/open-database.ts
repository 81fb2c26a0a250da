/** The part of the composition root that opens the configured database: a SQLite file in the data folder, or PostgreSQL. */
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import { openDatabase, type Database } from "../../store/database.js";
import { checkFileExists } from "../../store/lost-database.js";
import type { RunningNode } from "../../store/nodes.js";
import type { NodeIdentity } from "../../store/postgres/nodes.js";
import { systemClock, systemRandom } from "../../system/clock.js";
import { databaseFile } from "../../store/data-folder.js";
import { describeLimitsPlace } from "../../accounts/limits/limits-place.js";
import { readStorageId } from "../../store/storage-id.js";

/** Connections of a command, which makes one query after the other. */
const commandConnectionsMax = 2;

/** Opens the database for one command; works next to a running server. @throws Error with one sentence. */
export async function openForCommand(config: Config): Promise<Database> {
  if (config.databaseUrl === null) return openDatabase(databaseFile(config));
  return openPostgresFor(config.databaseUrl, commandConnectionsMax, null);
}

/** Whether there is no database yet, and never was one that is lost. */
export function isWithoutDatabase(config: Config): boolean {
  if (config.databaseUrl !== null) return false;
  const file = databaseFile(config);
  try {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return false;
    checkFileExists(file, "refused");
    return !existsSync(config.data) || statSync(config.data).isDirectory();
  } catch {
    // Opening it says what is wrong.
    return false;
  }
}

/** Opens an empty database in a folder of its own, which is deleted when it is closed. */
export async function openEmptyDatabase(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-empty-"));
  const database = await openDatabase(join(folder, "hearth.db"));
  return {
    ...database,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens the PostgreSQL database of a server, which others may use, too. @throws Error with one sentence. */
export async function openForServer(url: string, config: Config): Promise<Database> {
  const name = nameServer(config);
  return openPostgresFor(url, config.databaseConnectionsMax, {
    name,
    storageId: await readStorageId(config, systemRandom),
    limitsPlace: describeLimitsPlace(config),
  });
}

/** Returns the servers that share the database; none where it is SQLite. @throws Error with one sentence. */
export async function runningServers(config: Config): Promise<readonly RunningNode[]> {
  const database = await openForCommand(config);
  try {
    return await database.nodes.running();
  } finally {
    await database.close();
  }
}

async function openPostgresFor(
  url: string,
  connectionsMax: number,
  server: NodeIdentity | null,
): Promise<Database> {
  // Servers over SQLite do not load the client of PostgreSQL.
  const { openPostgres } = await import("../../store/postgres/open.js");
  return openPostgres({ url, connectionsMax, server, clock: systemClock });
}

/** Returns what the server is called among the servers that share its database. */
export function nameServer({ serverName, port }: Config): string {
  return serverName ?? `${hostname()}:${port}`;
}
