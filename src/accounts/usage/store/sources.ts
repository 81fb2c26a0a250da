/** The tables of usage, and which of their rows a report adds up. */
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { selectKeysOfOwner } from "../../../store/tables/known-keys.js";
import type { LabelKind } from "../../principals/spend-labels.js";
import { dayMs, type UsageDimension, type UsageQuery, type UsageRange } from "../../money/usage-report.js";

type Unit = "day" | "hour";

/** A column of all tables that has what a dimension is made of. */
export type BaseColumn = "teamId" | "model" | "apiKeyId" | "label";

/**
 * Returns a subquery of the columns `time`, `columns` and `sums`, with rows for hours, days or, without a unit, the whole time; rows of
 * a month are days, for `unitStart`. Several rows may have the same time and columns: those from days, and those from hours.
 * Whole days are read from the table of days, where there is one, and the hours before and after them from the table of hours.
 * @param only a condition that rows have to fulfil
 */
export function sumsBy(
  query: UsageQuery,
  columns: readonly BaseColumn[],
  sums: readonly RawBuilder<unknown>[],
  only: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const refs = columns.map((column) => sql.ref(`used.${column}`));
  const parts = listParts(query).map(({ per, ...range }) => {
    const time = truncateTime(query.unit, per);
    return sql`select ${sql.join([sql`${time} as time`, ...refs, ...sums])}
      from ${selectUsageTable(query, per)} as used where ${within({ ...query, ...range }, per)} ${only}
      group by ${sql.join([time, ...refs])}`;
  });
  return sql`(${sql.join(parts, sql` union all `)})`;
}

interface Part {
  /** What a row of the table has the sums of. */
  readonly per: Unit;
  readonly from: number;
  readonly to: number;
}

export function readsHoursAlone(query: UsageQuery): boolean {
  return listParts(query).every(({ per }) => per === "hour");
}

function listParts(query: UsageQuery): readonly Part[] {
  const { from, to, unit } = query;
  const [first, last] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  if (unit === "hour" || findKind(query) !== null || first >= last) return [{ per: "hour", from, to }];
  const parts: readonly Part[] = [
    { per: "hour", from, to: first },
    { per: "day", from: first, to: last },
    { per: "hour", from: last, to },
  ];
  return parts.filter((part) => part.from < part.to);
}

/** The start of the hour or day in which a row lies; null without a unit. */
export function truncateTime(unit: UsageQuery["unit"], per: Unit): RawBuilder<number | null> {
  if (unit === null) return sql`cast(null as integer)`;
  // Without arithmetic the rows are in the order of the primary key, and need no sorting.
  return per === "day" || unit === "hour"
    ? sql.ref(`used.${per}`)
    : sql`used.hour - used.hour % ${sql.lit(dayMs)}`;
}

/** The usage that a report groups. */
interface GroupedUsage extends UsageRange {
  readonly by: readonly UsageDimension[];
}

/** Returns the kind of labels that a report is about; null = none. */
function findKind({ by, label }: GroupedUsage): LabelKind | null {
  if (label !== null) return label.kind;
  return by.find((dimension) => dimension === "tag" || dimension === "user") ?? null;
}

/** Usage by labels is stored by the hour alone. */
export function selectUsageTable(query: GroupedUsage, per: Unit): RawBuilder<unknown> {
  if (findKind(query) !== null) return sql`usage_label_hours`;
  return per === "day" ? sql`usage_days` : sql`usage_hours`;
}

/** A range of the primary key for each team, so that no other row is read. */
export function within(query: GroupedUsage, per: Unit): RawBuilder<SqlBool> {
  const { teamId, ownerId, from, to } = query;
  const teams = teamId === null ? sql`(select id from teams)` : sql`(${teamId})`;
  const own = ownerId === null ? sql`` : sql`and api_key_id in ${selectKeysOfOwner(teams, ownerId)}`;
  const kind = findKind(query);
  const ofKind = kind === null ? sql`` : sql`and kind = ${kind}`;
  const ofLabel = query.label === null ? sql`` : sql`and label = ${query.label.label}`;
  const start = sql.ref(`used.${per}`);
  return sql`used.team_id in ${teams} ${ofKind} and ${start} >= ${from} and ${start} < ${to} ${ofLabel} ${own}`;
}
