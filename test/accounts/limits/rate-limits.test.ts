import { aKey } from "../../kit/a-key.js";
import { describe, expect, it } from "vitest";
import { createMemoryCounter } from "../../../src/accounts/limits/memory-counter.js";
import type { Quota } from "../../../src/accounts/limits/quota-counter.js";
import { Quotas } from "../../../src/accounts/limits/quotas.js";
import { createRateLimits } from "../../../src/accounts/limits/rate-limits.js";
import type { Clock } from "../../../src/core/clock.js";
import { noLimits } from "../../../src/core/limits.js";
import { noUsage } from "../../../src/core/usage.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { aTeam } from "../../store/records.js";
import { expectExactLimits } from "./exact-limits.js";

const countersOf = (clock: Clock) => ({
  counter: createMemoryCounter(clock),
  readCounter: createMemoryCounter(clock),
  clock,
});

describe("limits", () => {
  it("admit exactly the requests that the reference model admits, and report when the next one is admitted", () =>
    expectExactLimits({ numRuns: 400, createCounters: (clock) => Promise.resolve(countersOf(clock)) }));

  it("subtract nothing from an estimate that has expired, whatever the run has used", async () => {
    const clock = createManualClock(0);
    const rateLimits = createRateLimits({
      ...countersOf(clock),
      findTeamLimits: () => Promise.resolve([{ teamId: "t", model: "*", ...noLimits, tpm: 100 }]),
      estimate: () => Promise.resolve(5),
    });
    const ask = async () => {
      const request = await rateLimits.admitRequest({ key: { ...aKey(), ...noLimits }, team: aTeam() });
      return rateLimits.admitModelRequest(request, "m", "");
    };
    const first = await ask();
    for (let at = 0; at < 4; at += 1) {
      clock.advance(10);
      await ask();
    }
    clock.advance(59_960);
    expect((await ask()).limitStatuses.tokens?.remaining).toBe(100 - 25);
    first.reservation.reconcile(noUsage);
    expect((await ask()).limitStatuses.tokens?.remaining).toBe(100 - 30);
  });

  it("count nothing and estimate nothing when there is no limit", async () => {
    const rateLimits = createRateLimits({
      ...countersOf(createManualClock(0)),
      findTeamLimits: () => Promise.resolve([]),
      estimate: () => Promise.reject(new Error("asked for an estimate")),
    });
    const request = await rateLimits.admitRequest({ key: { ...aKey(), ...noLimits }, team: aTeam() });
    const { limitStatuses, refusal } = await rateLimits.admitModelRequest(request, "m", "x");
    expect([request.limitStatuses, limitStatuses, refusal]).toEqual([
      { requests: null, tokens: null },
      { requests: null, tokens: null },
      null,
    ]);
  });

  it("that a team has got since its key was looked up hold a second later, as for a request whose body is slow", async () => {
    const clock = createManualClock(0);
    const rateLimits = createRateLimits({
      ...countersOf(clock),
      findTeamLimits: () => Promise.resolve([{ teamId: "t", model: "*", ...noLimits, qpm: 0 }]),
      estimate: () => Promise.resolve(0),
    });
    const principal = {
      key: { ...aKey(), ...noLimits },
      team: aTeam(),
      teamHas: { budgets: false, limits: [], credit: 0 },
      readAt: clock.monotonic(),
    };
    const refusal = async () =>
      (await rateLimits.admitModelRequest(await rateLimits.admitRequest(principal), "m", "")).refusal;
    clock.advance(1000);
    expect(await refusal()).toBeNull();
    clock.advance(1);
    expect(await refusal()).toMatchObject({ kind: "rate_limited" });
  });
});

const quota = (scope: string, more: Partial<Quota> = {}): Quota => ({
  ...{ scope, subject: scope, name: "qpm", limit: 1_000_000 },
  ...more,
});

describe("a refusal by the limits of a team", () => {
  it("reports when the key would admit the request, too, if other requests of the key were counted meanwhile", async () => {
    const clock = createManualClock(0);
    const team = { teamId: "t", model: "*", ...noLimits, qps: 1 };
    const rateLimits = createRateLimits({
      ...countersOf(clock),
      findTeamLimits: () => Promise.resolve([team]),
      estimate: () => Promise.resolve(0),
    });
    const arrive = (id: string) =>
      rateLimits.admitRequest({ key: { ...aKey(), ...noLimits, qps: 1, id }, team: aTeam() });
    const [slow, other] = [await arrive("a"), await arrive("b")];
    clock.advance(500);
    expect((await rateLimits.admitModelRequest(other, "m", "")).refusal).toBeNull();
    clock.advance(500);
    expect((await arrive("a")).refusal).toBeNull();
    expect((await rateLimits.admitModelRequest(slow, "m", "")).refusal).toMatchObject({ retryAfterMs: 1000 });
  });
});

describe("the memory of the windows", () => {
  it("has at most 60,000 entries for one limit, however many requests are admitted", () => {
    const quotas = new Quotas();
    let most = 0;
    for (let now = 0; now < 130_000; now += 1) {
      for (let each = 0; each < 3; each += 1) quotas.take([{ quota: quota("k"), amount: 1 }], now);
      most = Math.max(most, quotas.size.entries);
    }
    expect(most).toBe(60_000);
    expect(quotas.limitStatus(quota("k"), 129_999).remaining).toBe(1_000_000 - 180_000);
  });

  it("holds nothing for a key without requests in the last minute", () => {
    const quotas = new Quotas();
    for (let key = 0; key < 1000; key += 1) quotas.take([{ quota: quota(String(key)), amount: 1 }], key);
    expect(quotas.size).toEqual({ windows: 1000, entries: 1000 });
    quotas.take([{ quota: quota("new"), amount: 1 }], 60_500);
    expect(quotas.size).toEqual({ windows: 500, entries: 500 });
  });

  it("is bounded: when it is full, requests are refused until entries expire, and none is admitted uncounted", () => {
    const quotas = new Quotas({ windowsMax: 3, entriesMax: 5 });
    const take = (scope: string, now: number) => quotas.take([{ quota: quota(scope), amount: 1 }], now);
    for (const scope of ["a", "b", "c"]) expect(take(scope, 0)).toBeNull();
    expect(() => take("d", 0)).toThrow("too many requests to count");
    const entries = new Quotas({ entriesMax: 2 });
    for (const now of [0, 1]) entries.take([{ quota: quota("a"), amount: 1 }], now);
    expect(() => entries.take([{ quota: quota("a"), amount: 1 }], 2)).toThrow("too many requests to count");
    expect(entries.size).toEqual({ windows: 1, entries: 2 });
    expect(take("d", 60_000)).toBeNull();
    expect(quotas.size).toEqual({ windows: 1, entries: 1 });
  });

  it("undoes the key's count of a request when it has no room for the model's count", async () => {
    const clock = createManualClock(0);
    const rates = createRateLimits({
      findTeamLimits: () => Promise.resolve([]),
      counter: createMemoryCounter(clock, { windowsMax: 1 }),
      readCounter: createMemoryCounter(clock),
      estimate: () => Promise.resolve(5),
      clock,
    });
    const principal = { key: aKey({ ...noLimits, qpm: 2, tpm: 100 }), team: aTeam() };
    for (let round = 0; round < 3; round += 1) {
      const request = await rates.admitRequest(principal);
      expect(request.refusal).toBeNull();
      await expect(rates.admitModelRequest(request, "m", "text")).rejects.toThrow(
        "too many requests to count",
      );
    }
  });
});
