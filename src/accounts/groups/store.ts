import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";
import { groupAcl } from "../principals/acls.js";
import type { AccessGroup, GroupUse } from "./access-group.js";

export type AccessGroupStore = ReturnType<typeof createAccessGroupStore>;

/** Creates the queries of the table of access groups. */
export function createAccessGroupStore(database: Database) {
  const { kysely } = database;
  const all = kysely.selectFrom("accessGroups").selectAll();
  return {
    /** The commit fails with `conflict` when a group has the name already. */
    insertion(group: AccessGroup): Write {
      const query = kysely
        .insertInto("accessGroups")
        .values(group)
        .onConflict((conflict) => conflict.doNothing());
      return createWrite("accessGroups", query.compile(), 1);
    },
    /** The commit fails with `conflict` when the stored group differs from `before`. */
    replacement(before: AccessGroup, after: AccessGroup): Write {
      const { name, ...fields } = after;
      const query = kysely.updateTable("accessGroups").set(fields).where("name", "=", name);
      return createWrite("accessGroups", query.where(isUnchanged(before)).compile(), 1);
    },
    /** The commit fails with `conflict` when a key or a team has the group. */
    removal({ name }: AccessGroup): Write {
      const query = kysely
        .deleteFrom("accessGroups")
        .where("name", "=", name)
        .where(sql<boolean>`not exists (select 1 from api_keys where ${hasGroup(database, "apiKeys", name)})`)
        .where(sql<boolean>`not exists (select 1 from teams where ${hasGroup(database, "teams", name)})`);
      return createWrite("accessGroups", query.compile(), 1);
    },
    async find(name: string): Promise<AccessGroup | null> {
      return (await all.where("name", "=", name).executeTakeFirst()) ?? null;
    },
    /** Returns the groups with these names that exist. */
    async findAll(names: readonly string[]): Promise<readonly AccessGroup[]> {
      return all.where("name", "in", names).execute();
    },
    /** Returns all groups in order of name. */
    async list(): Promise<readonly AccessGroup[]> {
      return all.orderBy("name").execute();
    },
    readUse: (name: string) => readUse(database, name),
  };
}

/** Whether a row of a table has the group among its ACLs. */
function hasGroup({ dialect }: Database, table: "apiKeys" | "teams", name: string) {
  return sql<boolean>`${groupAcl(name)} in ${dialect.selectStrings(sql.ref(`${table}.acls`))}`;
}

async function readUse(database: Database, name: string): Promise<GroupUse> {
  const count = async (table: "apiKeys" | "teams"): Promise<number> => {
    const { rows } = await database.kysely
      .selectFrom(table)
      .select((row) => row.fn.countAll<number>().as("rows"))
      .where(hasGroup(database, table, name))
      .executeTakeFirstOrThrow();
    return rows;
  };
  return { keys: await count("apiKeys"), teams: await count("teams") };
}
