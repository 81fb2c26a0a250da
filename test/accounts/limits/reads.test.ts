import { expect, it } from "vitest";
import { createRateLimits } from "../../../src/accounts/limits/rate-limits.js";
import { noLimits } from "../../../src/core/limits.js";
import { createManualClock } from "../../manual-clock.js";
import { aTeam } from "../../store/records.js";
import { aKey } from "../a-key.js";

it("reads have a limit of 6,000 a minute and key of their own, and count against no other", () => {
  const clock = createManualClock(0);
  const rates = createRateLimits({
    clock,
    teamLimits: { findFor: () => Promise.resolve([]) },
    estimate: () => Promise.resolve(0),
  });
  const principal = (id: string) => ({ key: { ...aKey(), ...noLimits, qpm: 1, id }, team: aTeam() });
  const reads = (id: string, count: number) =>
    Array.from({ length: count }, () => rates.admitRead(principal(id)).refusal);
  expect(reads("a", 6_000).every((refusal) => refusal === null)).toBe(true);
  expect(reads("a", 1)).toMatchObject([{ kind: "rate_limited", retryAfterMs: 60_000 }]);
  expect([...reads("b", 1), rates.admitRequest(principal("a")).refusal]).toEqual([null, null]);
  clock.advance(60_000);
  expect(reads("a", 1)).toEqual([null]);
});
