import { describe, expect, it } from "vitest";
import { Claims } from "../../src/jobs/claims.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createWrites } from "../../src/store/writes.js";
import { createManualClock } from "../kit/manual-clock.js";
import { aJob, databaseOfTwoTeams } from "../store/records.js";

const [deferred, background] = ["deferred-completion", "background-response"] as const;

/** The claims of a process that starts over these jobs. */
async function claimsOver(...jobs: readonly Parameters<typeof aJob>[0][]) {
  const database = await databaseOfTwoTeams();
  const store = createJobStore(database);
  const writes = createWrites(database);
  await writes.commit(jobs.map((job) => store.insertion(aJob(job))));
  const claims = new Claims(store, createManualClock(5000));
  await claims.load(deferred, background);
  let changes = 0;
  claims.onChange(() => (changes += 1));
  const nextIds = async () =>
    [await claims.next(deferred), await claims.next(background)].map((job) => job?.id ?? null);
  return { store, writes, claims, nextIds, changes: () => changes };
}

describe("F18: jobs that were in flight when the process died", () => {
  it("are retried one at a time over both queues, those with fewest attempts first, and only then other jobs start", async () => {
    const { claims, nextIds, changes } = await claimsOver(
      { id: "new", createTime: 1 },
      { id: "often", attempts: 2, createTime: 2 },
      { id: "once", attempts: 1, createTime: 4, kind: background },
      { id: "once-older", attempts: 1, createTime: 3 },
    );
    expect(await nextIds()).toEqual(["once-older", null]);
    expect(await nextIds()).toEqual([null, null]);
    claims.ended("once-older", false);
    expect(await nextIds()).toEqual([null, "once"]);
    expect(changes()).toBe(1);
    claims.ended("once", false);
    expect(await nextIds()).toEqual(["often", null]);
    claims.ended("often", false);
    expect(await nextIds()).toEqual(["new", null]);
    expect(changes()).toBe(3);
  });

  it("keep their turn when they are requeued, and lose it when they are gone or leased", async () => {
    const { store, writes, claims, nextIds } = await claimsOver(
      { id: "a", attempts: 1 },
      { id: "cancelled", attempts: 1 },
      { id: "leased", attempts: 1 },
      { id: "z", attempts: 1 },
      { id: "new" },
    );
    expect(await nextIds()).toEqual(["a", null]);
    await store.release("a");
    claims.ended("a", true);
    expect(await nextIds()).toEqual(["a", null]);
    claims.ended("another", false);
    expect(await nextIds()).toEqual([null, null]);
    await writes.commit([store.removal("a"), store.removal("cancelled")]);
    await store.claimById("leased", 5000, 6000);
    claims.ended("a", false);
    expect(await nextIds()).toEqual(["z", null]);
    await writes.commit([store.removal("z")]);
    claims.ended("z", false);
    expect(await nextIds()).toEqual(["new", null]);
  });

  it("are read once, and are asked for again when the database did not answer", async () => {
    const { store, claims } = await claimsOver({ id: "a", attempts: 1 });
    await claims.load(deferred);
    const locked = new Error("locked");
    const failing = new Claims(
      { ...store, claimById: () => Promise.reject(locked) },
      createManualClock(5000),
    );
    await failing.load(deferred);
    await expect(failing.next(deferred)).rejects.toThrow(locked);
    await expect(failing.next(deferred)).rejects.toThrow(locked);
    expect(await store.find("a")).toMatchObject({ attempts: 1 });
  });
});
