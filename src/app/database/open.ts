/** The part of the composition root that opens the configured database: a SQLite file in the data folder, or PostgreSQL. */
import { existsSync } from "node:fs";
import type { Config } from "../../config.js";
import { openDatabase, type Database } from "../../store/database.js";
import { systemClock } from "../../system.js";
import { databaseFile } from "../data-folder.js";

export type DatabaseSettings = Pick<Config, "data" | "databaseUrl" | "databaseConnectionsMax">;

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

/** Whether there is a database already, or one that may be asked. SQLite's is created by the first server. */
export function hasDatabase(config: DatabaseSettings): boolean {
  return config.databaseUrl !== null || existsSync(databaseFile(config));
}

/** @throws Error with one sentence when the database is PostgreSQL, which has tools of its own. */
export function refusePostgres({ databaseUrl }: DatabaseSettings, command: string, tool: string): void {
  if (databaseUrl !== null)
    throw new Error(
      `\`hearth ${command}\` is for SQLite, and databaseUrl names a PostgreSQL database: use ${tool}, and copy the data folder`,
    );
}

async function openPostgresOf(url: string, connectionsMax: number, isServer: boolean): Promise<Database> {
  // Servers over SQLite do not load the client of PostgreSQL.
  const { openPostgres } = await import("../../store/postgres/open.js");
  return openPostgres({ url, connectionsMax, isServer, clock: systemClock });
}
