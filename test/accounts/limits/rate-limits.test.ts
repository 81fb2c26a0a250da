import { aKey } from "../a-key.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateLimits, type RequestDecision } from "../../../src/accounts/limits/rate-limits.js";
import type { Quota } from "../../../src/accounts/limits/quota-counter.js";
import { createMemoryCounter } from "../../../src/accounts/limits/memory-counter.js";
import { Quotas } from "../../../src/accounts/limits/quotas.js";
import type { Clock } from "../../../src/core/clock.js";
import type { Principal } from "../../../src/accounts/keys/api-key.js";
import { noLimits, type TokenReservation, type Limits } from "../../../src/core/limits.js";
import { type TeamLimits } from "../../../src/accounts/limits/team-limit.js";
import { noUsage } from "../../../src/core/usage.js";
import { createManualClock } from "../../manual-clock.js";
import { aTeam } from "../../store/records.js";

/** A reference model: a list of everything that was ever counted. */
class Naive {
  readonly #all: { readonly window: string; readonly time: number; amount: number }[] = [];

  count(window: string, time: number, amount: number) {
    const entry = { window, time, amount };
    this.#all.push(entry);
    return entry;
  }

  used(window: string, now: number): number {
    const span = window.startsWith("qps") ? 1000 : 60_000;
    return this.#all
      .filter((entry) => entry.window === window && entry.time > now - span && entry.time <= now)
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}

type Entry = ReturnType<Naive["count"]>;
type Wanted = readonly { readonly window: string; readonly limit: number; readonly amount: number }[];

const limit = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: null });
const limits = (): fc.Arbitrary<Limits> => fc.record({ qps: limit(4), qpm: limit(8), tpm: limit(60) });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("arrive" as const), key: fc.constantFrom("a", "b") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      which: fc.nat(),
      model: fc.constantFrom("m", "n"),
      tokens: fc.nat(40),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("settle" as const), which: fc.nat(), tokens: fc.nat(80) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      ms: fc.oneof(
        fc.nat(3),
        fc.constantFrom(1, 499, 500, 999, 1000, 1001, 30_000, 59_999, 60_000),
        fc.nat(70_000),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("limit" as const), team: limits(), key: limits() }) },
);

const countersOf = (clock: Clock) => ({
  counter: createMemoryCounter(clock),
  readCounter: createMemoryCounter(clock),
});

describe("limits", () => {
  it("admit exactly the requests that the reference model admits, and report when the next one is admitted", async () => {
    await fc.assert(
      fc.asyncProperty(
        limits(),
        limits(),
        fc.array(step, { maxLength: 80, size: "max" }),
        async (team, key, steps) => {
          const naive = new Naive();
          const clock = createManualClock(0);
          const current = { team, key };
          const rateLimits = createRateLimits({
            ...countersOf(clock),
            teamLimits: {
              findFor: (teamId, model) => Promise.resolve<TeamLimits[]>([{ teamId, model, ...current.team }]),
            },
            estimate: (prompt) => Promise.resolve(Number(prompt)),
          });
          const arrived: {
            readonly key: string;
            readonly admittance: RequestDecision;
            readonly entries: Entry[];
          }[] = [];
          const working: {
            readonly admission: TokenReservation;
            readonly estimate: number;
            readonly entries: Entry[];
          }[] = [];
          const now = (): number => clock.monotonic();
          const wanted = (scope: string, of: Limits, amounts: Partial<Limits>): Wanted =>
            (["qps", "qpm", "tpm"] as const).flatMap((name) => {
              const [most, amount] = [of[name], amounts[name] ?? null];
              return most === null || amount === null
                ? []
                : [{ window: `${name} ${scope}`, limit: most, amount }];
            });
          const fits = (demands: Wanted, at: number): boolean =>
            demands.every(({ window, limit: most, amount }) => naive.used(window, at) + amount <= most);
          const check = (refusal: RequestDecision["refusal"], demands: Wanted, all: Wanted): boolean => {
            const isIn = fits(demands, now());
            expect(refusal === null).toBe(isIn);
            if (refusal === null) return true;
            expect(refusal.kind).toBe("rate_limited");
            const isHopeless = demands.some(({ limit: most, amount }) => amount > most);
            expect([refusal.retryAfterMs === null, refusal.shouldRetry]).toEqual([isHopeless, !isHopeless]);
            if (refusal.retryAfterMs === null) return false;
            expect(fits(all, now() + refusal.retryAfterMs)).toBe(true);
            expect(fits(all, now() + refusal.retryAfterMs - 1)).toBe(false);
            return false;
          };
          const countAll = (demands: Wanted): Entry[] =>
            demands.map(({ window, amount }) => naive.count(window, now(), amount));

          for (const each of steps) {
            if (each.type === "wait") clock.advance(each.ms);
            if (each.type === "limit") Object.assign(current, { team: each.team, key: each.key });
            if (each.type === "arrive") {
              const principal: Principal = {
                key: { ...aKey(), ...current.key, id: each.key },
                team: { ...aTeam(), id: "t" },
              };
              const demands = wanted(each.key, current.key, { qps: 1, qpm: 1 });
              const admittance = await rateLimits.admitRequest(principal);
              if (check(admittance.refusal, demands, demands))
                arrived.push({ key: each.key, admittance, entries: countAll(demands) });
            }
            if (each.type === "ask" && arrived.length > 0) {
              const [request] = arrived.splice(each.which % arrived.length, 1);
              if (request === undefined) continue;
              const ofKey = request.admittance.principal.key;
              const { model, tokens } = each;
              const ofTeam = wanted(`t ${model}`, current.team, { qps: 1, qpm: 1, tpm: tokens });
              const demands = [...ofTeam, ...wanted(request.key, ofKey, { tpm: tokens })];
              // When it is refused, the key's count is undone.
              const isIn = fits(demands, now());
              if (!isIn) for (const entry of request.entries) entry.amount = 0;
              const admitted = await rateLimits.admitModelRequest(request.admittance, model, String(tokens));
              const all = [...demands, ...wanted(request.key, ofKey, { qps: 1, qpm: 1 })];
              expect(check(admitted.refusal, demands, all)).toBe(isIn);
              if (!isIn) continue;
              const entries = countAll(demands).filter(({ window }) => window.startsWith("tpm"));
              working.push({ admission: admitted.reservation, estimate: tokens, entries });
              const shown = admitted.limitStatuses.tokens;
              const left = demands
                .filter(({ window }) => window.startsWith("tpm"))
                .map(({ window, limit: most }) => most - naive.used(window, now()));
              expect(shown?.remaining ?? null).toBe(left.length === 0 ? null : Math.min(...left));
            }
            if (each.type === "settle" && working.length > 0) {
              const [run] = working.splice(each.which % working.length, 1);
              if (run === undefined) continue;
              run.admission.reconcile({ ...noUsage, promptTokens: each.tokens });
              run.admission.reconcile({ ...noUsage, promptTokens: 1_000 });
              const more = each.tokens - run.estimate;
              for (const entry of run.entries)
                if (more > 0) naive.count(entry.window, now(), more);
                else entry.amount += more;
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it("subtract nothing from an estimate that has expired, whatever the run has used", async () => {
    const clock = createManualClock(0);
    const rateLimits = createRateLimits({
      ...countersOf(clock),
      teamLimits: { findFor: () => Promise.resolve([{ teamId: "t", model: "*", ...noLimits, tpm: 100 }]) },
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
      teamLimits: { findFor: () => Promise.resolve([]) },
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
      teamLimits: { findFor: () => Promise.resolve([team]) },
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
    const teamLimits = { findFor: () => Promise.resolve([]) };
    const rates = createRateLimits({
      teamLimits,
      counter: createMemoryCounter(clock, { windowsMax: 1 }),
      readCounter: createMemoryCounter(clock),
      estimate: () => Promise.resolve(5),
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
