import { sql } from "kysely";
import { expect, it } from "vitest";
import { DatabaseHealth } from "../../src/store/health.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { createManualClock } from "../kit/manual-clock.js";
import { aTeam, temporaryDatabase } from "./records.js";
import { recordSynchronous } from "./synchronous.js";

async function watched() {
  const database = await temporaryDatabase();
  const clock = createManualClock(0);
  const changes: (string | null)[] = [];
  const health = new DatabaseHealth(database, clock, (problem) => void changes.push(problem));
  await createTeamStore(database).insert(aTeam());
  return {
    database,
    clock,
    changes,
    health,
    /** A write of the server that waits for the disk. */
    write: () => createWrites(database).commit([recordSynchronous(database)]),
    readOnly: (isReadOnly: boolean) =>
      sql.raw(`pragma query_only = ${isReadOnly ? 1 : 0}`).execute(database.kysely),
    synced: () => database.guard.counts().synced,
  };
}

it("F16: a probe is written at most every five seconds however often it is asked for, and none where the server itself writes", async () => {
  const { health, clock, synced, write, database } = await watched();
  const ask = async (): Promise<void> => {
    expect(await Promise.all(Array.from({ length: 100 }, () => health.problem()))).toEqual(
      Array(100).fill(null),
    );
  };
  await ask();
  expect(synced()).toBe(1);
  clock.advance(4999);
  await ask();
  expect(synced()).toBe(1);
  clock.advance(1);
  await ask();
  expect(synced()).toBe(2);
  clock.advance(4999);
  await write();
  for (let seconds = 0; seconds < 8; seconds += 1) {
    await ask();
    clock.advance(1000);
    await write();
  }
  expect(synced()).toBe(2 + 9);
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from write_probes`.execute(
    database.kysely,
  );
  expect(rows).toEqual([{ rows: 1 }]);
});

it("F16: reports a failed write of the server at the next question, recovers within a second, and reports each change once", async () => {
  const { health, clock, changes, write, readOnly, database } = await watched();
  expect(await health.problem()).toBeNull();
  await readOnly(true);
  await expect(write()).rejects.toThrow("cannot write to its database");
  const failed = database.guard.counts().failed;
  const problems = await Promise.all(Array.from({ length: 100 }, () => health.problem()));
  expect(new Set(problems).size).toBe(1);
  expect(problems[0]).toMatch(/^writes to the database fail: it cannot be written/);
  expect(database.guard.counts().failed).toBe(failed + 1);
  await readOnly(false);
  clock.advance(999);
  expect(await health.problem()).not.toBeNull();
  clock.advance(1);
  expect(await health.problem()).toBeNull();
  expect(changes).toEqual([problems[0], null]);
});

it("F16: writes nothing on a server that nobody uses, and reports a database that is closed", async () => {
  const { health, clock, changes, synced, database } = await watched();
  clock.advance(3_600_000);
  await Promise.resolve();
  expect(synced()).toBe(0);
  await database.close();
  expect(await health.problem()).toBe("the database does not answer");
  expect(changes).toEqual(["the database does not answer"]);
});
