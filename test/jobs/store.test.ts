import { describe, expect, it } from "vitest";
import type { Job } from "../../src/jobs/job.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createWrites } from "../../src/store/writes.js";
import { aJob, databaseOfTwoTeams, twoConnections } from "../store/records.js";

const deferred = "deferred-completion";
const background = "background-response";

async function queue(...jobs: readonly Job[]) {
  const database = await databaseOfTwoTeams();
  const store = createJobStore(database);
  const writes = createWrites(database);
  await writes.commit(jobs.map((job) => store.insertion(job)));
  return { store, writes };
}

describe("the queue of jobs", () => {
  it("finds what was inserted, and returns null for an unknown id", async () => {
    const job = aJob({ kind: background, body: '{"input":"\u0001 \'; drop table jobs --"}', attempts: 2 });
    const { store } = await queue(job);
    expect(await store.find("job-1")).toEqual(job);
    expect(await store.find("job-2")).toBeNull();
  });

  it("claims the oldest of the kind first, by id when two are equally old, and counts the attempt", async () => {
    const { store } = await queue(
      aJob({ id: "a", createTime: 2000 }),
      aJob({ id: "c" }),
      aJob({ id: "b", attempts: 1 }),
      aJob({ id: "0", kind: background, createTime: 1 }),
    );
    expect(await store.claim(deferred, 3000, 4000)).toEqual(aJob({ id: "b", attempts: 2 }));
    expect(await store.claim(deferred, 3000, 4000)).toEqual(aJob({ id: "c", attempts: 1 }));
    expect(await store.claim(deferred, 3000, 4000)).toEqual(aJob({ id: "a", attempts: 1, createTime: 2000 }));
    expect(await store.claim(deferred, 3000, 4000)).toBeNull();
    expect(await store.claim(background, 3000, 4000)).toMatchObject({ id: "0", attempts: 1 });
    expect(await store.find("b")).toMatchObject({ attempts: 2 });
  });

  it("lets a claimed job be claimed again only when its lease has expired", async () => {
    const { store } = await queue(aJob());
    await store.claim(deferred, 3000, 4000);
    expect(await store.claim(deferred, 3999, 5000)).toBeNull();
    expect(await store.claim(deferred, 4000, 5000)).toEqual(aJob({ attempts: 2 }));
  });

  it("claims an old job with an expired lease before a newer one that never started", async () => {
    const { store } = await queue(aJob(), aJob({ id: "job-2", createTime: 2000 }));
    await store.claim(deferred, 3000, 4000);
    expect(await store.claim(deferred, 4000, 5000)).toMatchObject({ id: "job-1" });
    expect(await store.claim(deferred, 4000, 5000)).toMatchObject({ id: "job-2" });
  });

  it("extends the leases of renewed jobs, and only of leased ones", async () => {
    const { store } = await queue(aJob(), aJob({ id: "job-2" }), aJob({ id: "job-3" }));
    await store.claim(deferred, 3000, 4000);
    await store.claim(deferred, 3000, 4000);
    await store.renew(["job-1", "job-3", "gone"], 9000);
    const next = await store.claim(deferred, 4000, 9000);
    expect(next).toMatchObject({ id: "job-2" });
    expect(await store.claim(deferred, 4000, 9000)).toMatchObject({ id: "job-3" });
    expect(await store.claim(deferred, 8999, 9999)).toBeNull();
    await store.renew([], 20_000);
    expect(await store.claim(deferred, 9000, 9999)).toMatchObject({ id: "job-1" });
  });

  it("releases a job at its old position without counting the attempt", async () => {
    const { store } = await queue(aJob({ attempts: 1 }), aJob({ id: "job-2" }));
    await store.claim(deferred, 3000, 4000);
    await store.release("job-1");
    expect(await store.find("job-1")).toEqual(aJob({ attempts: 1 }));
    expect(await store.claim(deferred, 3000, 4000)).toEqual(aJob({ attempts: 2 }));
  });

  it("does not change the attempts of a job that is not leased", async () => {
    const { store } = await queue(aJob({ attempts: 1 }));
    await store.release("job-1");
    await store.release("gone");
    expect(await store.find("job-1")).toEqual(aJob({ attempts: 1 }));
  });

  it("ends the leases of a kind when the process starts, and keeps the attempts", async () => {
    const { store } = await queue(aJob(), aJob({ id: "job-2", kind: background }));
    await store.claim(deferred, 3000, 1e12);
    await store.claim(background, 3000, 1e12);
    await store.releaseAll(deferred);
    expect(await store.claim(deferred, 3001, 1e12)).toMatchObject({ id: "job-1", attempts: 2 });
    expect(await store.claim(background, 3001, 1e12)).toBeNull();
    await store.releaseAll(background);
    expect(await store.claim(background, 3001, 1e12)).toMatchObject({ id: "job-2", attempts: 2 });
  });

  it("counts the jobs of a kind, leased or not", async () => {
    const { store } = await queue(aJob(), aJob({ id: "job-2" }), aJob({ id: "job-3", kind: background }));
    await store.claim(deferred, 3000, 4000);
    expect([await store.count(deferred), await store.count(background)]).toEqual([2, 1]);
  });

  it("removes a job that is done, and does nothing for an unknown one", async () => {
    const { store, writes } = await queue(aJob(), aJob({ id: "job-2" }));
    await writes.commit([store.removal("job-1"), store.removal("gone")]);
    expect(await store.find("job-1")).toBeNull();
    expect(await store.count(deferred)).toBe(1);
  });

  it("gives a job to only one of two connections that claim at the same time", async () => {
    const [one, other] = await twoConnections();
    const [left, right] = [createJobStore(one), createJobStore(other)];
    const ids = Array.from({ length: 200 }, (_, index) => `job-${index}`);
    await createWrites(one).commit(ids.map((id) => left.insertion(aJob({ id }))));
    const claims = ids.flatMap(() => [left.claim(deferred, 1, 2), right.claim(deferred, 1, 2)]);
    const claimed = (await Promise.all(claims)).flatMap((job) => (job === null ? [] : [job.id]));
    expect(claimed.toSorted()).toEqual(ids.toSorted());
  });

  it.each<[string, Partial<Job>]>([
    ["a negative count of attempts", { attempts: -1 }],
    ["a team that does not exist", { teamId: "nobody" }],
    ["a second job of the same id", { id: "taken" }],
  ])("refuses %s", async (_, change) => {
    const { store, writes } = await queue(aJob({ id: "taken" }));
    await expect(writes.commit([store.insertion(aJob(change))])).rejects.toThrow(/constraint/);
    expect(await store.count(deferred)).toBe(1);
  });
});
