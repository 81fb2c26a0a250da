import { expect, it } from "vitest";
import { createMemoryCounter } from "../../../src/accounts/limits/memory-counter.js";
import { createRateLimits, type RateLimitDecision } from "../../../src/accounts/limits/rate-limits.js";
import { noLimits } from "../../../src/core/limits.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { aTeam } from "../../store/records.js";
import { aKey } from "../../kit/a-key.js";

it("reads have a limit of 6,000 a minute and key of their own, and count against no other", async () => {
  const clock = createManualClock(0);
  const rates = createRateLimits({
    counter: createMemoryCounter(clock),
    readCounter: createMemoryCounter(clock),
    findTeamLimits: () => Promise.resolve([]),
    estimate: () => Promise.resolve(0),
    clock,
  });
  const principal = (id: string) => ({ key: { ...aKey(), ...noLimits, qpm: 1, id }, team: aTeam() });
  const refusalOf = async (decision: Promise<RateLimitDecision>) => (await decision).refusal;
  const reads = (id: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => refusalOf(rates.admitRead(principal(id)))));
  expect((await reads("a", 6_000)).every((refusal) => refusal === null)).toBe(true);
  expect(await reads("a", 1)).toMatchObject([{ kind: "rate_limited", retryAfterMs: 60_000 }]);
  expect([...(await reads("b", 1)), await refusalOf(rates.admitRequest(principal("a")))]).toEqual([
    null,
    null,
  ]);
  clock.advance(60_000);
  expect(await reads("a", 1)).toEqual([null]);
});
