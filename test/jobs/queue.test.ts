import { describe, expect, it } from "vitest";
import { HearthError } from "../../src/core/errors.js";
import { gate, until } from "../kit/until.js";
import { jobQueue, leaseMs } from "./queue.js";

const overloaded = new HearthError("overloaded", "Busy.", { retryAfterSeconds: 7 });

describe("a job in flight", () => {
  it("has its lease renewed while it runs, and starts once", async () => {
    const { queue, jobs, clock, runs, put } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    for (let heartbeat = 0; heartbeat < 20; heartbeat++) {
      clock.advance(leaseMs / 3);
      await jobs.count("deferred-completion");
      // No other worker could claim it.
      expect(await jobs.claim("deferred-completion", clock.now() + leaseMs / 2, 0)).toBeNull();
    }
    wait.open();
    await until(() => runs[0]?.ended === "completed");
    expect(runs).toHaveLength(1);
  });

  it("does not start a second time when the clock jumps past its lease, as after the machine slept", async () => {
    const { queue, clock, runs, put, outcomes } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    clock.jump(10 * leaseMs);
    await put("b");
    await until(() => outcomes().has("b"));
    wait.open();
    await until(() => outcomes().has("a"));
    expect(runs.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("starts again when its outcome could not be written and its lease has expired", async () => {
    const { queue, clock, runs, put, outcomes, fail } = await jobQueue();
    await queue.start();
    const wait = gate();
    await put("a", wait.opened);
    await until(() => runs.length === 1);
    fail.settling = new Error("disk full");
    wait.open();
    await until(() => fail.failedSettlements === 1);
    fail.settling = null;
    expect(outcomes().has("a")).toBe(false);
    for (let ms = 0; ms < 2 * leaseMs; ms += leaseMs / 3) clock.advance(leaseMs / 3);
    await until(() => outcomes().get("a") === "completed");
    expect(runs.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });
});

describe("a process that dies while a job is in flight", () => {
  it("three times makes the job fail with an error that says so", async () => {
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
      /^internal: The server stopped 3 times while it processed this request/,
    );
    expect(runs).toHaveLength(3);
    expect(await jobs.count("deferred-completion")).toBe(0);
  });

  it("does not count for a job that was requeued because the server was busy or closed", async () => {
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

describe("a budget that other requests have reserved", () => {
  const reserved = new HearthError("budget_exceeded", "Reserved.", {
    retryAfterSeconds: 1,
    shouldRetry: true,
  });

  it("delays a job that it refuses, and no other", async () => {
    const { queue, clock, runs, put, outcomes, fail } = await jobQueue();
    await queue.start();
    fail.running = reserved;
    await put("a");
    await until(() => runs.some(({ ended }) => ended === "failed"));
    fail.running = null;
    await put("b");
    await until(() => outcomes().has("b"));
    expect([...outcomes()]).toEqual([["b", "completed"]]);
    clock.advance(1000);
    await until(() => outcomes().get("a") === "completed");
    expect(runs.map(({ id, attempts }) => `${id}${attempts}`)).toEqual(["a1", "b1", "a1"]);
  });

  it("fails a job that can never fit, and one whose run has produced something", async () => {
    const { queue, put, outcomes, fail } = await jobQueue();
    await queue.start();
    fail.running = new HearthError("budget_exceeded", "Spent.", { shouldRetry: false });
    await put("a");
    await until(() => outcomes().has("a"));
    fail.running = reserved;
    fail.events = true;
    await put("b");
    await until(() => outcomes().has("b"));
    expect(outcomes().get("a")).toBe("budget_exceeded: Spent.");
    expect(outcomes().get("b")).toBe("budget_exceeded: Reserved.");
  });
});

describe("closing the queue", () => {
  it("aborts the runs in flight, writes no outcome, and leaves the jobs to the next process", async () => {
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

  it("starts no more jobs, and loses none that are enqueued during the close", async () => {
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
  it("starts every job as it is enqueued, in whatever state the queue is", async () => {
    const { queue, put, runs } = await jobQueue({ activeMax: 1000 });
    await queue.start();
    // Each second job is enqueued one microtask later after the first; no heartbeat and no end of another job starts it.
    for (let turns = 0; turns < 100; turns++) {
      const first = put(`${turns}-first`, gate().opened);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await Promise.all([first, put(`${turns}-second`, gate().opened)]);
      await until(() => runs.length === 2 * (turns + 1));
    }
    await queue.close();
    expect(new Set(runs.map(({ id }) => id)).size).toBe(200);
  });

  it("accepts exactly as many jobs as its limit allows of those enqueued at the same time", async () => {
    const { put, jobs } = await jobQueue({ queuedMax: 3 });
    const puts = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => put(`job-${index}`)));
    expect(puts.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const refused = puts.filter((each) => each.status === "rejected");
    expect(refused.map(({ reason }) => (reason as HearthError).kind)).toEqual(Array(17).fill("overloaded"));
    expect(await jobs.count("deferred-completion")).toBe(3);
  });

  it("does nothing before it is started, and never touches jobs of another kind", async () => {
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
  it("that is in flight is aborted, and its outcome is written", async () => {
    const { queue, runs, put, outcomes } = await jobQueue();
    await queue.start();
    await put("a", gate().opened);
    await until(() => runs.length === 1);
    expect(await queue.cancel("a", () => ({ writes: [] }))).toBe(true);
    expect(outcomes().get("a")).toBe("aborted");
  });

  it("that has not started is removed, and what its canceller passes is written", async () => {
    const { queue, runs, put, outcomes, cancelled } = await jobQueue();
    await put("a");
    expect(await queue.cancel("a", () => cancelled("a"))).toBe(false);
    await queue.start();
    await put("b");
    await until(() => outcomes().has("b"));
    expect(outcomes().get("a")).toBe("cancelled");
    expect(runs.map(({ id }) => id)).toEqual(["b"]);
  });

  it("never starts after the cancellation, and always has an outcome", async () => {
    const { queue, runs, put, outcomes, cancelled } = await jobQueue();
    await queue.start();
    const notStarted = new Set<string>();
    for (let turns = 0; turns < 60; turns++) {
      const id = `a-${turns}`;
      await put(id, gate().opened);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const inFlight = await queue.cancel(id, () => cancelled(id));
      expect(outcomes().get(id), `after ${turns} turns`).toBe(inFlight ? "aborted" : "cancelled");
      if (!inFlight) notStarted.add(id);
    }
    await queue.close();
    expect(runs.filter(({ id }) => notStarted.has(id))).toEqual([]);
    expect(runs.every(({ ended }) => ended === "aborted")).toBe(true);
    expect(runs.length).toBeGreaterThan(0);
  });

  it("that is requeued at the same time does not stay in the queue", async () => {
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
