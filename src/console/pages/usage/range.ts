/** Which time the page shows, and how finely. Usage is recorded by the hour; days and months are in UTC. */
import type { UsageUnit } from "../../api/usage.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Most units of one chart. */
const unitsMax = 750;

export interface Range {
  /** Milliseconds since 1970; whole hours. */
  readonly from: number;
  readonly to: number;
}

export const ranges = [
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["month", "This month"],
  ["last-month", "Last month"],
  ["12m", "Last 12 months"],
  ["custom", "From … to …"],
] as const;

export type RangeName = (typeof ranges)[number][0];

/** Returns the time of a choice. @param days the first and last day (UTC) of a custom range, such as 2026-11-24 */
export function chooseRange(
  name: RangeName,
  now: number,
  days: { readonly from: string; readonly to: string },
): Range {
  const to = now - (now % hourMs) + hourMs;
  const today = now - (now % dayMs);
  const month = (back: number): number => {
    const date = new Date(now);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back);
  };
  if (name === "24h") return { from: to - dayMs, to };
  if (name === "7d") return { from: today - 6 * dayMs, to };
  if (name === "month") return { from: month(0), to };
  if (name === "last-month") return { from: month(1), to: month(0) };
  if (name === "12m") return { from: month(11), to };
  const [first, last] = [Date.parse(days.from), Date.parse(days.to)];
  if (name === "custom" && first <= last) return { from: first, to: last + dayMs };
  return { from: today - 29 * dayMs, to };
}

/** Returns the units that suit a time, the best first. */
export function listUnits({ from, to }: Range): readonly [UsageUnit, ...UsageUnit[]] {
  const days = (to - from) / dayMs;
  if (days <= 2) return ["hour", "day"];
  if (days > unitsMax) return ["month"];
  if (days > 180) return ["month", "day"];
  if (days * 24 <= unitsMax) return ["day", "hour"];
  return days > 31 ? ["day", "month"] : ["day"];
}

/** Returns the date of a day (UTC) as a field of type `date` has it. */
export function dayField(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const texts: Readonly<Record<UsageUnit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }),
  day: new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    year: "numeric",
    timeZone: "UTC",
  }),
  month: new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" }),
};

const shortTexts: Readonly<Record<UsageUnit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "numeric" }),
  day: new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" }),
};

/** Returns the name of an hour in local time, or of a day or month in UTC. */
export function unitText(unit: UsageUnit, time: number): string {
  return texts[unit].format(time);
}

/** Returns a shorter name, for an axis. */
export function shortUnitText(unit: UsageUnit, time: number): string {
  return shortTexts[unit].format(time);
}
