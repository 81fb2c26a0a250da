/** Usage: how much was used when, by which model, API key, member, tag or end user, in tokens or money. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { loadUsage, type ChartMeasure, type UsageUnit } from "../../api/usage.js";
import { pageHref, setQuery } from "../../lib/location.js";
import { useResource } from "../../lib/resource.js";
import { Select, Field } from "../../parts/field.js";
import { Empty, Loaded, PageHead } from "../../parts/page.js";
import { useRole, useTeam } from "../../session.js";
import { Chart, chartGroupsMax } from "./chart.js";
import { groupings } from "./view.js";
import { ranges } from "./range.js";
import { firstGroups, rankGroups, type ChartGroup } from "./sums.js";
import { downloadUsage } from "./usage-csv.js";
import { GroupTable, TimeTable, Totals } from "./usage-tables.js";
import { useUsageView, type UsageView } from "./view.js";

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
