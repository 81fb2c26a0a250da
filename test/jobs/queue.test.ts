import { describe, expect, it } from "vitest";
import { HearthError } from "../../src/core/errors.js";
import { until } from "../harness.js";
import { gate } from "../http/compose.js";
import { jobQueue, leaseMs } from "./queue.js";

const overloaded = new HearthError("overloaded", "Busy.", { retryAfterSeconds: 7 });

describe("a job in hand", () => {
  it("has its lease renewed for as long as it takes, and is begun once", async () => {
    const { queue, jobs, clock, runs, put } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    for (let beat = 0; beat < 20; beat++) {
      clock.advance(leaseMs / 3);
      await jobs.count("deferred-completion");
      // Nobody else could have it.
      expect(await jobs.claim("deferred-completion", clock.now() + leaseMs / 2, 0)).toBeNull();
    }
    wait.open();
    await until(() => runs[0]?.ended === "completed");
    expect(runs).toHaveLength(1);
  });

  it("is not begun a second time when the clock leaps past its lease, as it does where the machine slept", async () => {
    const { queue, clock, runs, put, outcomes } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    clock.leap(10 * leaseMs);
    await put("b");
    await until(() => outcomes().has("b"));
    wait.open();
    await until(() => outcomes().has("a"));
    expect(runs.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("is taken up again when its outcome could not be written, once its lease is over", async () => {
    const { queue, clock, runs, put, outcomes, fail } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    fail.settling = new Error("disk full");
    wait.open();
    await until(() => fail.settlings === 1);
    fail.settling = null;
    expect(outcomes().has("a")).toBe(false);
    for (let ms = 0; ms < 2 * leaseMs; ms += leaseMs / 3) clock.advance(leaseMs / 3);
    await until(() => outcomes().get("a") === "completed");
    expect(runs.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });
});

describe("a process that dies over a job", () => {
  it("three times has it given up, with an error that says so, and not begun again", async () => {
    const { restart, runs, put, outcomes, jobs } = await jobQueue();
    const wait = gate();
    await put("a", wait.opened);
    for (let life = 1; life <= 3; life++) {
      const { queue } = restart();
      await queue.start();
      await until(() => runs.length === life);
    }
    expect(runs.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
    await restart().queue.start();
    await until(() => outcomes().has("a"));
    expect(outcomes().get("a")).toMatch(
      /^internal: The server stopped 3 times while it worked on this request/,
    );
    expect(runs).toHaveLength(3);
    expect(await jobs.count("deferred-completion")).toBe(0);
  });

  it("is not blamed on one that was put back because the server was busy, or closed", async () => {
    const { restart, runs, put, outcomes, clock, fail } = await jobQueue();
    fail.starting = overloaded;
    await put("a");
    for (let life = 0; life < 3; life++) {
      const { queue } = restart();
      await queue.start();
      for (let refusal = 0; refusal < 3; refusal++) {
        await clock.whenWaiting(7000);
        clock.advance(7000);
      }
      await clock.whenWaiting(7000);
      await queue.close();
    }
    fail.starting = null;
    await restart().queue.start();
    await until(() => outcomes().get("a") === "completed");
    expect(runs.map(({ attempts }) => attempts)).toEqual([1]);
  });
});

describe("closing the queue", () => {
  it("ends what is in hand, writes no outcome, and leaves the job for the next to begin anew", async () => {
    const { queue, restart, runs, put, outcomes } = await jobQueue();
    await queue.start();
    await put("a", gate().opened);
    await put("b", gate().opened);
    await until(() => runs.length === 2);
    await queue.close();
    expect(runs.map(({ ended }) => ended)).toEqual(["aborted", "aborted"]);
    expect(outcomes().size).toBe(0);
    await restart().queue.start();
    await until(() => runs.length === 4);
    expect(runs.map(({ id, attempts }) => `${id}${attempts}`)).toEqual(["a1", "b1", "a1", "b1"]);
  });

  it("begins nothing any more, and loses nothing that comes meanwhile", async () => {
    const { queue, restart, runs, put, outcomes } = await jobQueue();
    await queue.start();
    const closing = queue.close();
    await put("a");
    await closing;
    expect(runs).toHaveLength(0);
    await restart().queue.start();
    await until(() => outcomes().get("a") === "completed");
  });
});

describe("a queue", () => {
  it("begins every job as it comes, whatever it is at just then", async () => {
    const { queue, put, runs } = await jobQueue({ activeMax: 1000 });
    await queue.start();
    // Each second one comes a turn of the microtasks later after the first: no beat of the clock helps, no end of another.
    for (let turns = 0; turns < 100; turns++) {
      const first = put(`${turns}-first`, gate().opened);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await Promise.all([first, put(`${turns}-second`, gate().opened)]);
      await until(() => runs.length === 2 * (turns + 1));
    }
    await queue.close();
    expect(new Set(runs.map(({ id }) => id)).size).toBe(200);
  });

  it("takes exactly what it has room for of those that come in the same moment", async () => {
    const { put, jobs } = await jobQueue({ queuedMax: 3 });
    const puts = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => put(`job-${index}`)));
    expect(puts.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const refused = puts.filter((each) => each.status === "rejected");
    expect(refused.map(({ reason }) => (reason as HearthError).kind)).toEqual(Array(17).fill("overloaded"));
    expect(await jobs.count("deferred-completion")).toBe(3);
  });

  it("does nothing before it is started, and leaves jobs of another kind alone", async () => {
    const { queue, put, outcomes, jobs, writes } = await jobQueue();
    await put("a");
    const other = { ...(await jobs.find("a")), id: "other", kind: "background-response" };
    await writes.commit([jobs.insertion(other as Parameters<typeof jobs.insertion>[0])]);
    await jobs.claim("background-response", 0, 1e15);
    expect(outcomes().size).toBe(0);
    await queue.start();
    await until(() => outcomes().get("a") === "completed");
    expect(await jobs.claim("background-response", 1e14, 1e15)).toBeNull();
  });
});

describe("a cancelled job", () => {
  it("that is in hand is ended, its outcome written and waited for", async () => {
    const { queue, runs, put, outcomes } = await jobQueue();
    await queue.start();
    await put("a", gate().opened);
    await until(() => runs.length === 1);
    expect(await queue.cancel("a", () => [])).toBe(true);
    expect(outcomes().get("a")).toBe("aborted");
  });

  it("that nobody has begun is removed, with what its canceller writes", async () => {
    const { queue, runs, put, outcomes, cancelled } = await jobQueue();
    await put("a");
    expect(await queue.cancel("a", () => cancelled("a"))).toBe(false);
    await queue.start();
    await put("b");
    await until(() => outcomes().has("b"));
    expect(outcomes().get("a")).toBe("cancelled");
    expect(runs.map(({ id }) => id)).toEqual(["b"]);
  });

  it("is over whenever it is cancelled: never begun after, never without an outcome", async () => {
    const { queue, runs, put, outcomes, cancelled } = await jobQueue();
    await queue.start();
    const unbegun = new Set<string>();
    for (let turns = 0; turns < 60; turns++) {
      const id = `a-${turns}`;
      await put(id, gate().opened);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const inHand = await queue.cancel(id, () => cancelled(id));
      expect(outcomes().get(id), `after ${turns} turns`).toBe(inHand ? "aborted" : "cancelled");
      if (!inHand) unbegun.add(id);
    }
    await queue.close();
    expect(runs.filter(({ id }) => unbegun.has(id))).toEqual([]);
    expect(runs.every(({ ended }) => ended === "aborted")).toBe(true);
    expect(runs.length).toBeGreaterThan(0);
  });

  it("that was put back in the same moment does not stay in the queue", async () => {
    const { queue, runs, put, outcomes, cancelled, fail } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    fail.running = overloaded;
    const cancelling = queue.cancel("a", () => cancelled("a"));
    wait.open();
    expect(await cancelling).toBe(false);
    expect(outcomes().get("a")).toBe("cancelled");
  });
});
