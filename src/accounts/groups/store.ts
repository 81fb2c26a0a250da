import { sql } from "kysely";
import { createRowMapper, stringList } from "../../store/columns.js";
import type { Database } from "../../store/database.js";
import type { AccessGroupRow } from "../../store/tables/access-groups.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";
import { groupAcl } from "../keys/acls.js";
import type { AccessGroup, GroupUse } from "./access-group.js";

export type AccessGroupStore = ReturnType<typeof createAccessGroupStore>;

/** Creates the queries of the table of access groups. */
export function createAccessGroupStore(database: Database) {
  const { kysely } = database;
  const all = kysely.selectFrom("access_groups").selectAll();
  return {
    /** The commit fails with `conflict` when a group has the name already. */
    insertion(group: AccessGroup): Write {
      const query = kysely
        .insertInto("access_groups")
        .values(toRow(group))
        .onConflict((conflict) => conflict.doNothing());
      return createWrite("access_groups", query.compile(), 1);
    },
    /** The commit fails with `conflict` when the stored group differs from `before`. */
    replacement(before: AccessGroup, after: AccessGroup): Write {
      const { name, ...fields } = toRow(after);
      const query = kysely.updateTable("access_groups").set(fields).where("name", "=", name);
      return createWrite("access_groups", query.where(isUnchanged(toRow(before))).compile(), 1);
    },
    /** The commit fails with `conflict` when a key or a team has the group. */
    removal({ name }: AccessGroup): Write {
      const query = kysely
        .deleteFrom("access_groups")
        .where("name", "=", name)
        .where(
          sql<boolean>`not exists (select 1 from api_keys where ${hasGroup(database, "api_keys", name)})`,
        )
        .where(sql<boolean>`not exists (select 1 from teams where ${hasGroup(database, "teams", name)})`);
      return createWrite("access_groups", query.compile(), 1);
    },
    async find(name: string): Promise<AccessGroup | null> {
      const row = await all.where("name", "=", name).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns the groups with these names that exist. */
    async findAll(names: readonly string[]): Promise<readonly AccessGroup[]> {
      return (await all.where("name", "in", names).execute()).map(fromRow);
    },
    /** Returns all groups in order of name. */
    async list(): Promise<readonly AccessGroup[]> {
      return (await all.orderBy("name").execute()).map(fromRow);
    },
    useOf: (name: string) => useOf(database, name),
  };
}

/** Whether a row of a table has the group among its ACLs. */
function hasGroup({ dialect }: Database, table: "api_keys" | "teams", name: string) {
  return sql<boolean>`${groupAcl(name)} in ${dialect.listOf(sql.ref(`${table}.acls`))}`;
}

async function useOf(database: Database, name: string): Promise<GroupUse> {
  const count = async (table: "api_keys" | "teams"): Promise<number> => {
    const { rows } = await database.kysely
      .selectFrom(table)
      .select((row) => row.fn.countAll<number>().as("rows"))
      .where(hasGroup(database, table, name))
      .executeTakeFirstOrThrow();
    return rows;
  };
  return { keys: await count("api_keys"), teams: await count("teams") };
}

const { toRow, fromRow } = createRowMapper<AccessGroup, AccessGroupRow>({
  name: "name",
  description: "description",
  acls: stringList("acls"),
  createTime: "create_time",
  modifyTime: "modify_time",
});
