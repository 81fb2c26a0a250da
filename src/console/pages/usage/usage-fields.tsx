import type { JSX } from "preact";
import type { UsageMeasure, UsageUnit } from "../../api/usage.js";
import { Choice, Field } from "../../parts/field.js";
import { groupings } from "./groupings.js";
import { ranges } from "./range.js";
import type { UsageView } from "./usage-view.js";

const measures: readonly (readonly [UsageMeasure, string])[] = [
  ["tokens", "Tokens"],
  ["usd", "US dollars"],
];

const unitTitles: Readonly<Record<UsageUnit, string>> = { hour: "Hour", day: "Day", month: "Month" };

/** The choice of what the page shows. */
export function UsageFields({ view }: { readonly view: UsageView }): JSX.Element {
  const { rangeName, days, unit, units, grouping, measure, set } = view;
  return (
    <div class="filters" role="group" aria-label="What is shown">
      <Choice label="Time" value={rangeName} onValue={(range) => set({ range, unit: "" })} options={ranges} />
      {rangeName === "custom" && (
        <>
          <Field label="From" type="date" value={days.from} onValue={(from) => set({ from })} />
          <Field label="To" type="date" value={days.to} onValue={(to) => set({ to })} />
        </>
      )}
      <Choice
        label="Each bar"
        value={unit}
        onValue={(unit) => set({ unit })}
        options={units.map((each) => [each, unitTitles[each]])}
      />
      <Choice
        label="Stacked by"
        value={grouping.name}
        onValue={(by) => set({ by })}
        options={groupings.map(({ name, title }) => [name, title])}
      />
      <Choice label="In" value={measure} onValue={(value) => set({ in: value })} options={measures} />
    </div>
  );
}
