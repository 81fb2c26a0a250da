/** What the page shows. The address has it as `range`, `from`, `to`, `unit`, `by` and `in`, so that it can be linked. */
import type { ChartMeasure, UsageUnit } from "../../api/usage.js";
import { now } from "../../lib/clock.js";
import { useLocation } from "../../lib/location.js";
import { dayField, chooseRange, ranges, listUnits, type Range, type RangeName } from "./range.js";
import { operatorId } from "../../../accounts/audit/actors.js";

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

export interface Grouping {
  readonly name: string;
  /** What a group is, as a title. */
  readonly title: string;
  /** What the API calls it. */
  readonly field: string;
  readonly toLabel: (series: Named) => string;
  /** true: a request is in no group, in one or in several, so that the groups do not add up to all usage. */
  readonly isPart?: true;
}

interface Named {
  readonly id: string;
  readonly label: string;
}

export const groupings: readonly [Grouping, ...(readonly Grouping[])] = [
  { name: "model", title: "Model", field: "description", toLabel: ({ label }) => label },
  { name: "key", title: "API key", field: "apiKeyId", toLabel: keyLabel },
  { name: "member", title: "Member", field: "memberId", toLabel: memberLabel },
  { name: "tag", title: "Tag", field: "tag", toLabel: labelLabel, isPart: true },
  { name: "user", title: "End user", field: "endUser", toLabel: labelLabel, isPart: true },
];

/** The API has no name for a key that was deleted. */
function keyLabel({ id, label }: Named): string {
  return label === id ? `Deleted key ${id.slice(0, 13)}` : label;
}

/** Under `*` the server sums what exceeds the number of tags and end users that a team may have. */
function labelLabel({ id, label }: Named): string {
  return id === "*" ? "All others" : label;
}

function memberLabel({ id, label }: Named): string {
  if (id === "") return "Deleted keys";
  return id === operatorId ? "Operator (command line)" : label;
}
