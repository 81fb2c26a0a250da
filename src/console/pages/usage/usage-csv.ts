/** What the page shows as a file. */
import type { UsageUnit } from "../../api/usage.js";
import { formatCsv, textCell } from "../../../core/export/csv.js";
import { ticksToUsd } from "../../../core/money.js";
import { saveFile } from "../../lib/client.js";
import type { Grouping } from "./view.js";
import { dayField, type Range } from "./range.js";
import type { ChartGroup } from "./sums.js";

interface Shown {
  readonly groups: readonly ChartGroup[];
  readonly grouping: Grouping;
  readonly unit: UsageUnit;
  readonly range: Range;
}

/** Downloads a row for each group and time that has any usage, oldest first. Times are in UTC. */
export function downloadUsage({ groups, grouping, unit, range }: Shown): void {
  const header = [
    ...[`${unit} (UTC)`, grouping.title, "requests", "prompt tokens", "cached tokens"],
    ...["completion tokens", "reasoning tokens", "cost (USD)"],
  ];
  const rows = groups
    .flatMap(({ label, points }) => points.map((point) => ({ label, point })))
    .filter(({ point }) => point.requests > 0)
    .toSorted((a, b) => a.point.time - b.point.time)
    .map(({ label, point }) => [
      new Date(point.time).toISOString(),
      textCell(label),
      String(point.requests),
      String(point.promptTokens),
      String(point.cachedTokens),
      String(point.completionTokens),
      String(point.reasoningTokens),
      ticksToUsd(point.costTicks),
    ]);
  const name = `usage-${dayField(range.from)}-${dayField(range.to - 1)}-by-${grouping.name}.csv`;
  saveFile(name, new Blob([formatCsv(header, rows)], { type: "text/csv" }));
}
