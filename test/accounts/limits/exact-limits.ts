/** Compares limits with a reference model. */
import { aKey } from "../../kit/a-key.js";
import fc from "fast-check";
import { expect } from "vitest";
import type { Quota, QuotaCounter } from "../../../src/accounts/limits/quota-counter.js";
import { createRateLimits, type RequestDecision } from "../../../src/accounts/limits/rate-limits.js";
import type { Clock } from "../../../src/core/clock.js";
import type { Principal } from "../../../src/accounts/principals/api-key.js";
import type { TokenReservation, Limits } from "../../../src/core/limits.js";
import type { TeamLimits } from "../../../src/accounts/principals/team-limit.js";
import { noUsage } from "../../../src/core/usage.js";
import { createManualClock } from "../../kit/manual-clock.js";
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

export interface ExactLimitsOptions {
  readonly numRuns: number;
  /** Returns counters with empty windows. */
  readonly createCounters: (
    clock: Clock,
  ) => Promise<{ readonly counter: QuotaCounter; readonly readCounter: QuotaCounter }>;
}

/** Expects that exactly the requests are admitted that the reference model admits, whatever the order of requests, ends and limits. */
export async function expectExactLimits({ numRuns, createCounters }: ExactLimitsOptions): Promise<void> {
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
          ...(await createCounters(clock)),
          clock,
          findTeamLimits: (teamId, model) =>
            Promise.resolve<TeamLimits[]>([{ teamId, model, ...current.team }]),
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
    { numRuns },
  );
}

const quota = (scope: string, limit: number): Quota => ({ name: "qpm", limit, scope, subject: scope });

/** Expects that 200 requests at a time, which several counters of the same windows count, take exactly what a limit of 60 allows. */
export async function expectOneLimit(counters: readonly QuotaCounter[]): Promise<void> {
  // In different orders: none waits for another forever.
  const [key, team] = [quota("key", 60), quota("team", 1_000)];
  const demands = [key, team].map((each) => ({ quota: each, amount: 1 }));
  const take = async (index: number) =>
    counters[index % counters.length]?.take(index % 2 === 0 ? demands : [...demands].reverse());
  const taken = await Promise.all(Array.from({ length: 200 }, (_, index) => take(index)));
  expect(taken.filter((each) => each?.shortage === null)).toHaveLength(60);
  const refused = taken.find((each) => each?.shortage !== null);
  expect(refused?.shortage).toMatchObject({ demand: { quota: key }, used: 60 });
  expect(refused?.shortage?.waitMs).toBeGreaterThan(50_000);
  const after = await counters[0]?.take([{ quota: team, amount: 1 }]);
  expect(after?.statuses).toMatchObject([{ limit: 1_000, remaining: 1_000 - 61 }]);
}
