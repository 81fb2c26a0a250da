/** What the page shows as a file. */
import type { UsageUnit } from "../../api/usage.js";
import { downloadCsv } from "../../lib/csv.js";
import { ticksToUsd } from "../../lib/money.js";
import type { Grouping } from "./groupings.js";
import { dayField, type Range } from "./range.js";
import type { UsageGroup } from "./sums.js";

interface Shown {
  readonly groups: readonly UsageGroup[];
  readonly grouping: Grouping;
  readonly unit: UsageUnit;
  readonly range: Range;
}

/** Downloads a row for each group and time that has any usage, oldest first. Times are in UTC. */
export function downloadUsage({ groups, grouping, unit, range }: Shown): void {
  const header = [`${unit} (UTC)`, grouping.title, "requests", "prompt tokens", "cached tokens"];
  const rows = groups.flatMap(({ label, points }) =>
    points
      .filter(({ requests }) => requests > 0)
      .map((point) => ({
        time: point.time,
        cells: [
          new Date(point.time).toISOString(),
          label,
          String(point.requests),
          String(point.promptTokens),
          String(point.cachedTokens),
          String(point.completionTokens),
          String(point.reasoningTokens),
          ticksToUsd(point.costTicks),
        ],
      })),
  );
  const sorted = rows.toSorted((a, b) => a.time - b.time).map(({ cells }) => cells);
  const name = `usage-${dayField(range.from)}-${dayField(range.to - 1)}-by-${grouping.name}.csv`;
  downloadCsv(name, [[...header, "completion tokens", "reasoning tokens", "cost (USD)"], ...sorted]);
}
