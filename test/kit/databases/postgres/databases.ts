/** Databases of PostgreSQL for tests; see host.ts. */
import { inject, onTestFinished } from "vitest";
import { openPostgres } from "../../../../src/store/postgres/open.js";
import type { Clock } from "../../../../src/core/clock.js";
import type { Database } from "../../../../src/store/database.js";
import { systemClock } from "../../../../src/system/clock.js";

/** Whether the tests of this process that can run on both databases run on PostgreSQL. */
export const onPostgres = process.env["TEST_DATABASE"] === "postgres";

/** Creates an empty, migrated database, which is removed when the test ends. @returns its address. */
export async function newPostgresUrl(
  finished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const host = inject("postgresHost");
  const response = await fetch(host, { method: "POST" });
  const url = await response.text();
  if (!response.ok) throw new Error(url);
  finished(async () => {
    await fetch(`${host}${new URL(url).pathname.slice(1)}`, { method: "DELETE" });
  });
  return url;
}

/** Opens a connection as a command does, beside a server. */
export function openBeside(url: string): Promise<Database> {
  return openPostgres({ url, connectionsMax: 10, clock: systemClock, server: null });
}

/** Opens the database as a server does; the databases of one test see the same files unless `storageId` says otherwise. */
export function openServer(
  url: string,
  {
    clock = systemClock,
    name = "server",
    storageId = "files",
    limitsPlace = "PostgreSQL",
  }: ServerOptions = {},
): Promise<Database> {
  return openPostgres({ url, connectionsMax: 4, clock, server: { name, storageId, limitsPlace } });
}

export interface ServerOptions {
  readonly clock?: Clock;
  readonly name?: string;
  readonly storageId?: string;
  readonly limitsPlace?: string;
}
