import type { ManagementKey, Manager } from "../principals/management-key.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import { memberColumns, teamColumns } from "../teams/joined-columns.js";
import { createWrite, type Write } from "../../store/writes.js";

export type ManagementKeyStore = ReturnType<typeof createManagementKeyStore>;

/** Creates the queries of the table of management keys. */
export function createManagementKeyStore(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    insertion(key: ManagementKey): Write {
      const query = kysely.insertInto("managementKeys").values(withoutUse(key));
      return createWrite("managementKeys", query.compile());
    },
    /** The commit fails with `conflict` when the key does not exist. */
    removal({ id }: ManagementKey): Write {
      const query = kysely.deleteFrom("managementKeys").where("id", "=", id);
      return createWrite("managementKeys", query.compile(), 1);
    },
    /** Returns the key with this hash, its team and its member, in one query; a removed member's key is not found. */
    async findByHash(hash: Uint8Array): Promise<Manager | null> {
      const row = (await selectByHash({ hash })).rows[0];
      if (row === undefined) return null;
      const { team, member, ...key } = row;
      return { key, team, member };
    },
    /** Returns all keys in order of creation. */
    async list(): Promise<readonly ManagementKey[]> {
      return kysely.selectFrom("managementKeys").selectAll().orderBy("createTime").orderBy("id").execute();
    },
  };
}

function prepareByHash({ kysely }: Database) {
  return prepare(kysely, ["hash"], ({ hash }: { hash: Uint8Array }) =>
    kysely
      .selectFrom("managementKeys")
      .leftJoin("teams", "teams.id", "managementKeys.teamId")
      .leftJoin("members", "members.id", "managementKeys.userId")
      .selectAll("managementKeys")
      .select([...teamColumns, ...memberColumns])
      .where("managementKeys.hash", "=", hash)
      .where("members.removeTime", "is", null)
      .$castTo<ManagementKey & Manager>(),
  );
}

/** Returns a key without the time of last use, which createKeyUseStore() writes. */
function withoutUse({ lastUseTime: _, ...key }: ManagementKey): Omit<ManagementKey, "lastUseTime"> {
  return key;
}
