import { describe, expect, it } from "vitest";
import { periodEnd, periodStart } from "../../../src/accounts/budgets/budget.js";

const at = (text: string) => Date.parse(text);
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());

describe("the period of a budget", () => {
  it.each([
    ["day", "2026-11-23T23:59:59.999Z", "2026-11-23T00:00:00.000Z", "2026-11-24T00:00:00.000Z"],
    ["day", "2026-11-24T00:00:00.000Z", "2026-11-24T00:00:00.000Z", "2026-11-25T00:00:00.000Z"],
    ["week", "2026-11-22T23:59:59.999Z", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
    ["week", "2026-11-23T00:00:00.000Z", "2026-11-23T00:00:00.000Z", "2026-11-30T00:00:00.000Z"],
    ["month", "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["month", "2028-02-29T12:00:00.000Z", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
    ["total", "2026-11-23T12:00:00.000Z", "1970-01-01T00:00:00.000Z", null],
  ] as const)("%s of %s starts at %s and ends at %s (UTC)", (period, time, start, end) => {
    expect(iso(periodStart(period, at(time)))).toBe(start);
    expect(iso(periodEnd(period, at(time)))).toBe(end);
  });
});
