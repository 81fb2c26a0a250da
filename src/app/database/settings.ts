/** Which database is configured. Commands load this to see whether they need to open it. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Config } from "../../config/config.js";
import { databaseFile } from "../data-folder.js";

export type DatabaseSettings = Pick<Config, "data" | "databaseUrl" | "databaseConnectionsMax">;

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

/** Returns what the server is called among those that share its database. */
export function nameServer({ serverName, port }: Pick<Config, "serverName" | "port">): string {
  return serverName ?? `${hostname()}:${port}`;
}
