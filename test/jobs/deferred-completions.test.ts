import { describe, expect, it } from "vitest";
import type { DeferredOutcome } from "../../src/jobs/deferred/deferred-completion.js";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { createWrites } from "../../src/store/writes.js";
import { onPostgres } from "../kit/databases/postgres/databases.js";
import { databaseOfTwoTeams, twoConnections } from "../store/records.js";

const done = { state: "done", answer: '{"id":"chatcmpl-1"}' } as const;
const failed = { state: "failed", failure: '{"kind":"internal"}' } as const;

/** A store with pending completions of these ids. */
async function pending(...ids: readonly string[]) {
  const database = await databaseOfTwoTeams();
  const store = createDeferredStore(database);
  const writes = createWrites(database);
  await writes.commit(
    ids.map((id) => store.insertion({ id, teamId: "team-1", userId: null, createTime: 1000 })),
  );
  const end = (id: string, outcome: Exclude<DeferredOutcome, { state: "pending" }>, expireTime = 9000) =>
    writes.commit([store.ending(id, outcome, expireTime)]);
  return { store, end };
}

describe("deferred completions", () => {
  it("are pending until they end", async () => {
    const { store } = await pending("a");
    expect(await store.take("a", "team-1", 2000)).toEqual({ state: "pending" });
    expect(await store.take("a", "team-1", Number.MAX_SAFE_INTEGER)).toEqual({ state: "pending" });
  });

  it("return their answer once, and then equal unknown ones", async () => {
    const { store, end } = await pending("a");
    await end("a", done);
    expect(await store.take("a", "team-1", 2000)).toEqual(done);
    expect(await store.take("a", "team-1", 2000)).toBeNull();
    expect(await store.take("never", "team-1", 2000)).toBeNull();
  });

  it("return a failure any number of times until it expires", async () => {
    const { store, end } = await pending("a");
    await end("a", failed);
    expect(await store.take("a", "team-1", 2000)).toEqual(failed);
    expect(await store.take("a", "team-1", 8999)).toEqual(failed);
    expect(await store.take("a", "team-1", 9000)).toBeNull();
  });

  it("cannot be read once they have expired", async () => {
    const { store, end } = await pending("a");
    await end("a", done);
    expect(await store.take("a", "team-1", 9000)).toBeNull();
    expect(await store.take("a", "team-1", 8999)).toEqual(done);
  });

  it.each([
    ["pending", null],
    ["done", done],
    ["failed", failed],
  ] as const)("that are %s are unknown to another team, and stay for their own", async (state, outcome) => {
    const { store, end } = await pending("a");
    if (outcome !== null) await end("a", outcome);
    expect(await store.take("a", "team-2", 2000)).toEqual(await store.take("never", "team-2", 2000));
    expect(await store.take("a", "team-1", 2000)).toMatchObject({ state });
  });

  it("keep their first outcome: a second one, or one for an unknown id, changes nothing", async () => {
    const { store, end } = await pending("a", "b");
    await end("a", failed, 5000);
    await end("a", done);
    await end("never", done);
    expect(await store.take("a", "team-1", 2000)).toEqual(failed);
    expect(await store.take("a", "team-1", 5000)).toBeNull();
    expect(await store.take("b", "team-1", 2000)).toEqual({ state: "pending" });
    expect(await store.take("never", "team-1", 2000)).toBeNull();
  });

  it("stay deleted when an outcome is written after they were read", async () => {
    const { store, end } = await pending("a");
    await end("a", done);
    await store.take("a", "team-1", 2000);
    await end("a", done);
    expect(await store.take("a", "team-1", 2000)).toBeNull();
  });

  it("are never unknown to a reader while they end", async () => {
    const rounds = Array.from({ length: 40 }, (_, round) => `a-${round}`);
    const { store, end } = await pending(...rounds);
    const seen = new Set<string | undefined>();
    for (const [turns, id] of rounds.entries()) {
      // Each second iteration begins with its end, and each comes one turn later: before the reader's first statement, between its two,
      // after both.
      const first = turns % 2 === 0 ? null : end(id, done);
      if (first !== null) await turnsOf(turns);
      const reading = store.take(id, "team-1", 2000);
      if (first === null) await turnsOf(turns);
      await (first ?? end(id, done));
      const read = await reading;
      seen.add(read?.state);
      const later = await store.take(id, "team-1", 2000);
      expect(later, `after ${turns} turns`).toEqual(read?.state === "done" ? null : done);
    }
    expect(seen).toEqual(new Set(["done", "pending"]));
  });

  it("are deleted once expired, up to the requested number, and no others", async () => {
    const { store, end } = await pending("a", "b", "c", "d", "e");
    await end("a", done, 5000);
    await end("b", failed, 4000);
    await end("c", done, 3000);
    await end("d", done, 5001);
    expect(await store.deleteExpired(5000, 2)).toBe(2);
    expect(await store.take("a", "team-1", 0)).toEqual(done);
    expect(await store.deleteExpired(5000, 2)).toBe(0);
    expect(await store.take("d", "team-1", 0)).toEqual(done);
    expect(await store.take("e", "team-1", 0)).toEqual({ state: "pending" });
  });

  it.each(["an unknown team", "a second one of the same id"])("refuse %s", async (what) => {
    const database = await databaseOfTwoTeams();
    const store = createDeferredStore(database);
    const writes = createWrites(database);
    await writes.commit([store.insertion({ id: "a", teamId: "team-1", userId: null, createTime: 1000 })]);
    const wrong = what === "an unknown team" ? { id: "b", teamId: "nobody" } : { id: "a", teamId: "team-1" };
    await expect(
      writes.commit([store.insertion({ ...wrong, userId: null, createTime: 1000 })]),
    ).rejects.toThrow(/constraint/);
  });
});

describe("an answer that several readers request at the same time", () => {
  const ids = Array.from({ length: 200 }, (_, index) => `job-${index}`);

  /** Two connections, and answers of which every second expires at 5000 and the others at 9000. */
  async function answers() {
    const [one, other] = await twoConnections();
    const [left, right] = [createDeferredStore(one), createDeferredStore(other)];
    const made = ids.flatMap((id, index) => [
      left.insertion({ id, teamId: "team-1", userId: null, createTime: 1000 }),
      left.ending(id, done, index % 2 === 0 ? 5000 : 9000),
    ]);
    await createWrites(one).commit(made);
    return [left, right] as const;
  }

  it("is read by exactly one of four readers on two connections", async () => {
    const [left, right] = await answers();
    for (const id of ids) {
      const readers = [left, right, right, left].map((store) => store.take(id, "team-1", 2000));
      const read = (await Promise.all(readers)).filter((outcome) => outcome?.state === "done");
      expect(read, id).toHaveLength(1);
    }
  });

  it("is either read by one or deleted, never both, when it expires at the same time", async () => {
    const [left, right] = await answers();
    let [read, deleted] = [0, 0];
    for (const id of ids) {
      const deleting = right.deleteExpired(5000, 1);
      const readers = [left, right].map((store) => store.take(id, "team-1", 4999));
      read += (await Promise.all(readers)).filter((outcome) => outcome?.state === "done").length;
      deleted += await deleting;
    }
    expect(read + deleted).toBe(ids.length);
    expect(deleted).toBeGreaterThan(0);
    expect(read).toBeGreaterThanOrEqual(ids.length / 2);
  });
});

/** Lets other work go on: the statements of SQLite take turns of promises, the statements of PostgreSQL turns of the event loop. */
async function turnsOf(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++)
    await (onPostgres ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve());
}
