/** The part of the composition root that opens the configured database: a SQLite file in the data folder, or PostgreSQL. */
import { openDatabase, type Database } from "../../store/database.js";
import { systemClock } from "../../system.js";
import { databaseFile } from "../data-folder.js";
import type { DatabaseSettings } from "./settings.js";

/** Connections of a command, which makes one query after the other. */
const commandConnectionsMax = 2;

/** Opens the database for one command; works next to a running server. @throws Error with one sentence. */
export async function openForCommand(config: DatabaseSettings): Promise<Database> {
  if (config.databaseUrl === null) return openDatabase(databaseFile(config));
  return openPostgresOf(config.databaseUrl, commandConnectionsMax, false);
}

/** Opens the PostgreSQL database of a server, and keeps other servers from using it. @throws Error with one sentence. */
export function openForServer(url: string, { databaseConnectionsMax }: DatabaseSettings): Promise<Database> {
  return openPostgresOf(url, databaseConnectionsMax, true);
}

async function openPostgresOf(url: string, connectionsMax: number, isServer: boolean): Promise<Database> {
  // Servers over SQLite do not load the client of PostgreSQL.
  const { openPostgres } = await import("../../store/postgres/open.js");
  return openPostgres({ url, connectionsMax, isServer, clock: systemClock });
}
