/** The numbers of the page as tables: the groups, and the bars of the chart. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChartMeasure, ChartSums, UsageUnit } from "../../api/usage.js";
import { countText } from "../../lib/format.js";
import { ticksText } from "../../lib/money.js";
import { loaded } from "../../lib/resource.js";
import { Table, type Column } from "../../parts/table.js";
import type { Grouping } from "./view.js";
import { unitText } from "./range.js";
import { addSums, readAmount, amountText, cachedText, noSums, sumTokens, type ChartGroup } from "./sums.js";

/** Rows that a table begins with, and that each further step adds. */
const rowsStep = 50;

interface GroupTableProps {
  readonly groups: readonly ChartGroup[];
  readonly grouping: Grouping;
}

/** The sums of each group. */
export function GroupTable({ groups, grouping }: GroupTableProps): JSX.Element {
  const number = (title: string, toText: (total: ChartSums) => string): Column<ChartGroup> => ({
    title,
    kind: "number",
    cell: ({ total }) => toText(total),
  });
  const columns: readonly Column<ChartGroup>[] = [
    { title: grouping.title, cell: ({ label }) => <strong>{label}</strong> },
    number("Requests", ({ requests }) => countText(requests)),
    number("Prompt tokens", ({ promptTokens }) => countText(promptTokens)),
    number("Cached", cachedText),
    number("Output tokens", ({ completionTokens, reasoningTokens }) =>
      countText(completionTokens + reasoningTokens),
    ),
    number("All tokens", (total) => countText(sumTokens(total))),
    number("Cost", ({ costTicks }) => ticksText(costTicks)),
  ];
  return (
    <Table
      label={`Usage by ${grouping.title}`}
      columns={columns}
      rows={loaded(groups)}
      getKey={({ key }) => key}
      empty={<></>}
    />
  );
}

interface TimeTableProps {
  /** The same as in the chart. */
  readonly groups: readonly ChartGroup[];
  readonly unit: UsageUnit;
  readonly measure: ChartMeasure;
}

interface TimeRow {
  readonly time: number;
  readonly index: number;
}

/** What the chart shows, newest first, without the times that have no usage. */
export function TimeTable({ groups, unit, measure }: TimeTableProps): JSX.Element {
  const [count, setCount] = useState(rowsStep);
  const times = groups[0]?.points.map(({ time }, index): TimeRow => ({ time, index })) ?? [];
  const used = times
    .filter(({ index }) => groups.some(({ points }) => (points[index]?.requests ?? 0) > 0))
    .toReversed();
  const columns: readonly Column<TimeRow>[] = [
    {
      title: unit === "hour" ? "Hour" : `${unit === "day" ? "Day" : "Month"} (UTC)`,
      cell: ({ time }) => unitText(unit, time),
    },
    ...groups.map(({ label, points }): Column<TimeRow> => ({
      title: label,
      kind: "number",
      cell: ({ index }) => amountText(measure, readAmount(measure, points[index] ?? noSums)),
    })),
    {
      title: "All together",
      kind: "number",
      cell: ({ index }) =>
        amountText(
          measure,
          groups.reduce((sum, { points }) => sum + readAmount(measure, points[index] ?? noSums), 0n),
        ),
    },
  ];
  const rows = {
    ...loaded(used.slice(0, count)),
    loadMore: used.length > count ? () => setCount(count + rowsStep) : null,
  };
  return (
    <Table
      label="Usage over time"
      columns={columns}
      rows={rows}
      getKey={({ time }) => String(time)}
      empty={<></>}
    />
  );
}

/** The sums over all groups. */
export function Totals({ groups }: { readonly groups: readonly ChartGroup[] }): JSX.Element {
  const total = groups.reduce((sum, group) => addSums(sum, group.total), noSums);
  const figures = [
    ["Requests", countText(total.requests)],
    ["Tokens", countText(sumTokens(total))],
    ["Prompt tokens cached", cachedText(total)],
    ["Cost", ticksText(total.costTicks)],
  ] as const;
  return (
    <dl class="totals">
      {figures.map(([title, text]) => (
        <div key={title} class="panel">
          <dt>{title}</dt>
          <dd class="figure">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
