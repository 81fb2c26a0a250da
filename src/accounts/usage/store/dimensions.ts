/** What a report groups by, as SQL. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { selectKeyName, selectKeyOwner } from "../../../store/tables/known-keys.js";
import type { UsageDimension } from "../../money/usage-report.js";
import type { BaseColumn } from "./sources.js";

interface DimensionColumns {
  readonly base: BaseColumn;
  /** The id of the group, of the base column of `used`. */
  readonly id: RawBuilder<string>;
  readonly name: (id: RawBuilder<string>, dialect: Dialect) => RawBuilder<string | null>;
}

export const dimensions: Readonly<Record<UsageDimension, DimensionColumns>> = {
  key: {
    base: "apiKeyId",
    id: sql`used.api_key_id`,
    name: (id, { ofGroup }) => ofGroup(selectKeyName(id)),
  },
  model: { base: "model", id: sql`used.model`, name: () => sql`null` },
  team: {
    base: "teamId",
    id: sql`used.team_id`,
    name: (id) => sql`(select name from teams where id = ${id})`,
  },
  member: {
    base: "apiKeyId",
    id: sql`coalesce(${selectKeyOwner(sql`used.api_key_id`)}, '')`,
    name: (id, { ofGroup }) => ofGroup(sql`(select email from members where id = ${id})`),
  },
  tag: { base: "label", id: sql`used.label`, name: () => sql`null` },
  user: { base: "label", id: sql`used.label`, name: () => sql`null` },
};

/** Columns of the id and the name of a group, for `readGroups`. */
export function groupColumns(
  dialect: Dialect,
  dimension: UsageDimension,
  id: RawBuilder<string>,
): readonly RawBuilder<unknown>[] {
  const { name } = dimensions[dimension];
  return [
    sql`${id} as ${sql.ref(`${dimension}_id`)}`,
    sql`${name(id, dialect)} as ${sql.ref(`${dimension}_name`)}`,
  ];
}
