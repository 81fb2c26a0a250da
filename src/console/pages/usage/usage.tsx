/** Usage: how much was used when, by which model, API key, member, tag or end user, in tokens or money. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { loadUsage, type ChartMeasure, type UsageUnit, type ChartSums } from "../../api/usage.js";
import { pageHref, setQuery } from "../../lib/location.js";
import { useResource, loaded } from "../../lib/resource.js";
import { Select, Field } from "../../parts/field.js";
import { Empty, Loaded, PageHead } from "../../parts/page.js";
import { useRole, useTeam } from "../../session.js";
import { Chart, chartGroupsMax } from "./chart.js";
import { groupings, useUsageView, type UsageView, type Grouping } from "./view.js";
import { ranges, unitText, dayField, type Range } from "./range.js";
import {
  firstGroups,
  rankGroups,
  type ChartGroup,
  addSums,
  readAmount,
  amountText,
  cachedText,
  noSums,
  sumTokens,
} from "./sums.js";
import { countText } from "../../lib/format.js";
import { ticksText } from "../../lib/money.js";
import { Table, type Column } from "../../parts/table.js";
import { formatCsv, textCell } from "../../../core/export/csv.js";
import { ticksToUsd } from "../../../core/money.js";
import { saveFile } from "../../lib/client.js";

/** The page. */
export function UsagePage(): JSX.Element {
  const { teamId } = useTeam();
  const view = useUsageView();
  const { range, unit, grouping, measure } = view;
  const seesAll = useRole("admin");
  const usage = useResource(
    (signal) => loadUsage(teamId, { ...range, unit, groupBy: grouping.field, measure }, signal),
    [teamId, range.from, range.to, unit, grouping, measure],
  );
  const { value } = usage;
  const groups = useMemo(
    () => (value === null ? null : rankGroups(value, grouping, measure)),
    [value, grouping, measure],
  );
  return (
    <>
      <PageHead title="Usage">
        <button
          type="button"
          disabled={groups === null || groups.length === 0}
          onClick={() => groups !== null && downloadUsage({ groups, grouping, unit, range })}
        >
          Download CSV
        </button>
      </PageHead>
      <UsageFields view={view} />
      {grouping.isPart === true && (
        <p class="hint">
          {grouping.name === "tag"
            ? "Only requests with tags (the header x-hearth-tags, or metadata) are shown; one with several tags counts for each."
            : "Only requests that name an end user (the field user) are shown."}
        </p>
      )}
      {!seesAll && <p class="hint">You see the usage of the API keys that you created.</p>}
      <Loaded from={{ ...usage, value: groups }}>
        {(shown) => (shown.length === 0 ? <NoUsage /> : <Shown groups={shown} view={view} />)}
      </Loaded>
    </>
  );
}

function Shown({
  groups,
  view,
}: {
  readonly groups: readonly ChartGroup[];
  readonly view: UsageView;
}): JSX.Element {
  const { unit, grouping, measure } = view;
  const drawn = useMemo(() => firstGroups(groups, chartGroupsMax), [groups]);
  return (
    <>
      {grouping.isPart !== true && <Totals groups={groups} />}
      <section class="panel" aria-labelledby="over-time">
        <h2 id="over-time">{measure === "usd" ? "Cost" : "Tokens"} over time</h2>
        <Chart groups={drawn} unit={unit} measure={measure} />
      </section>
      <h2>By {grouping.title === "API key" ? "API key" : grouping.title.toLowerCase()}</h2>
      <GroupTable groups={groups} grouping={grouping} />
      <h2>By {unit}</h2>
      <TimeTable key={unit} groups={drawn} unit={unit} measure={measure} />
    </>
  );
}

function NoUsage(): JSX.Element {
  return (
    <Empty title="No usage in this time">
      <p>
        Requests with an API key appear here when they have ended. Choose another time, or send a request.
      </p>
      <a class="button" href={pageHref("keys")}>
        API keys
      </a>
    </Empty>
  );
}

const measures: readonly (readonly [ChartMeasure, string])[] = [
  ["tokens", "Tokens"],
  ["usd", "US dollars"],
];

const unitTitles: Readonly<Record<UsageUnit, string>> = { hour: "Hour", day: "Day", month: "Month" };

/** The choice of what the page shows. */
function UsageFields({ view }: { readonly view: UsageView }): JSX.Element {
  const { rangeName, days, unit, units, grouping, measure } = view;
  return (
    <div class="filters" role="group" aria-label="What is shown">
      <Select
        label="Time"
        value={rangeName}
        onValue={(range) => setQuery({ range, unit: "" })}
        options={ranges}
      />
      {rangeName === "custom" && (
        <>
          <Field label="From" type="date" value={days.from} onValue={(from) => setQuery({ from })} />
          <Field label="To" type="date" value={days.to} onValue={(to) => setQuery({ to })} />
        </>
      )}
      <Select
        label="Each bar"
        value={unit}
        onValue={(unit) => setQuery({ unit })}
        options={units.map((each) => [each, unitTitles[each]])}
      />
      <Select
        label="Stacked by"
        value={grouping.name}
        onValue={(by) => setQuery({ by })}
        options={groupings.map(({ name, title }) => [name, title])}
      />
      <Select label="In" value={measure} onValue={(value) => setQuery({ in: value })} options={measures} />
    </div>
  );
}

// The numbers of the page as tables: the groups, and the bars of the chart.

/** Rows that a table begins with, and that each further step adds. */
const rowsStep = 50;

interface GroupTableProps {
  readonly groups: readonly ChartGroup[];
  readonly grouping: Grouping;
}

/** The sums of each group. */
function GroupTable({ groups, grouping }: GroupTableProps): JSX.Element {
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
function TimeTable({ groups, unit, measure }: TimeTableProps): JSX.Element {
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
function Totals({ groups }: { readonly groups: readonly ChartGroup[] }): JSX.Element {
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

// What the page shows as a file.

interface UsageDownload {
  readonly groups: readonly ChartGroup[];
  readonly grouping: Grouping;
  readonly unit: UsageUnit;
  readonly range: Range;
}

/** Downloads a row for each group and time that has any usage, oldest first. Times are in UTC. */
function downloadUsage({ groups, grouping, unit, range }: UsageDownload): void {
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
