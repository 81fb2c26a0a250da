/** What the page shows. The address has it as `range`, `from`, `to`, `unit`, `by` and `in`, so that it can be linked. */
import type { ChartMeasure, UsageUnit } from "../../api/usage.js";
import { now } from "../../lib/clock.js";
import { useLocation } from "../../lib/location.js";
import { groupings, type Grouping } from "./groupings.js";
import { dayField, chooseRange, ranges, listUnits, type Range, type RangeName } from "./range.js";

export interface UsageView {
  readonly rangeName: RangeName;
  readonly range: Range;
  /** The first and last day (UTC) of a custom range. */
  readonly days: { readonly from: string; readonly to: string };
  readonly unit: UsageUnit;
  /** The units that suit the range. */
  readonly units: readonly UsageUnit[];
  readonly grouping: Grouping;
  readonly measure: ChartMeasure;
}

/** Returns what to show; what the address leaves out has a default. */
export function useUsageView(): UsageView {
  const { query } = useLocation();
  const at = now();
  const rangeName = ranges.find(([name]) => name === query.get("range"))?.[0] ?? "30d";
  const usual = chooseRange("30d", at, { from: "", to: "" });
  const days = {
    from: query.get("from") ?? dayField(usual.from),
    to: query.get("to") ?? dayField(at),
  };
  const range = chooseRange(rangeName, at, days);
  const units = listUnits(range);
  return {
    rangeName,
    range,
    days,
    units,
    unit: units.find((unit) => unit === query.get("unit")) ?? units[0],
    grouping: groupings.find(({ name }) => name === query.get("by")) ?? groupings[0],
    measure: query.get("in") === "usd" ? "usd" : "tokens",
  };
}
