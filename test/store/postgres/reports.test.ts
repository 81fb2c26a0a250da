import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { newPostgresUrl, openBeside } from "../../kit/databases/postgres/databases.js";

it("F24: reports over PostgreSQL take a quarter of the connections at most, and requests have the others", async () => {
  const database = await openBeside(await newPostgresUrl());
  onTestFinished(() => database.close());
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(
      database.kysely,
    );
    return rows[0]?.count ?? 0;
  };
  const reports = await database.kysely.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(7)`.execute(holder);
    // Each waits for the lock, as a slow report waits for its rows.
    const all = Array.from({ length: 9 }, async () => {
      await sql`select pg_advisory_xact_lock_shared(7)`.execute(database.reports);
    });
    await vi.waitFor(async () => expect(await waiting()).toBe(2), { timeout: 20_000, interval: 5 });
    for (let times = 0; times < 5; times += 1) expect(await waiting()).toBe(2);
    return all;
  });
  // Those that waited for a connection get it in turn.
  await Promise.all(reports);
  expect(await waiting()).toBe(0);
});
