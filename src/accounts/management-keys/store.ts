import type { ManagementKey, Manager } from "./management-key.js";
import type { Role } from "../members/member.js";
import { bytes, createRowMapper, nullable, stringList } from "../../store/columns.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { ManagementKeyRow } from "../../store/schema.js";
import { teamOfRow, teamColumns, type MaybeJoinedTeam } from "../teams/joined-team.js";
import { createWrite, type Write } from "../../store/writes.js";

export type ManagementKeyStore = ReturnType<typeof createManagementKeyStore>;

/** Creates the queries of the table of management keys. */
export function createManagementKeyStore(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    insertion(key: ManagementKey): Write {
      const query = kysely.insertInto("management_keys").values(toRow(key));
      return createWrite("management_keys", query.compile());
    },
    /** The commit fails with `conflict` when the key does not exist. */
    removal({ id }: ManagementKey): Write {
      const query = kysely.deleteFrom("management_keys").where("id", "=", id);
      return createWrite("management_keys", query.compile(), 1);
    },
    /** Returns the key with this hash, its team and its member, in one query; a removed member's key is not found. */
    async findByHash(hash: Uint8Array): Promise<Manager | null> {
      const row = (await selectByHash({ hash })).rows[0];
      return row === undefined ? null : { key: fromRow(row), team: teamOfRow(row), member: memberOf(row) };
    },
    /** Returns all keys in order of creation. */
    async list(): Promise<readonly ManagementKey[]> {
      const rows = await kysely
        .selectFrom("management_keys")
        .selectAll()
        .orderBy("create_time")
        .orderBy("id")
        .execute();
      return rows.map(fromRow);
    },
  };
}

/** A key's row, joined with its team and its member; their columns are null where the key has none. */
interface ManagerRow extends ManagementKeyRow, MaybeJoinedTeam {
  readonly team_id: string | null;
  readonly member_team_id: string | null;
  readonly member_email: string | null;
  readonly member_given_name: string | null;
  readonly member_family_name: string | null;
  readonly member_role: Role | null;
  readonly member_create_time: number | null;
}

function prepareByHash({ kysely }: Database) {
  return prepare(kysely, ["hash"], ({ hash }: { hash: Uint8Array }) =>
    kysely
      .selectFrom("management_keys")
      .leftJoin("teams", "teams.id", "management_keys.team_id")
      .leftJoin("members", "members.id", "management_keys.user_id")
      .selectAll("management_keys")
      .select([
        ...teamColumns,
        "members.team_id as member_team_id",
        "members.email as member_email",
        "members.given_name as member_given_name",
        "members.family_name as member_family_name",
        "members.role as member_role",
        "members.create_time as member_create_time",
      ])
      .where("management_keys.hash", "=", hash)
      .where("members.remove_time", "is", null)
      .$castTo<ManagerRow>(),
  );
}

function memberOf(row: ManagerRow): Manager["member"] {
  const { user_id: id, member_team_id: teamId, member_email: email, member_role: role } = row;
  const {
    member_given_name: givenName,
    member_family_name: familyName,
    member_create_time: createTime,
  } = row;
  if (email === null || givenName === null || familyName === null || role === null || createTime === null)
    return null;
  return { id, teamId, email, givenName, familyName, role, createTime };
}

const mapper = createRowMapper<ManagementKey, ManagementKeyRow>({
  id: "id",
  teamId: "team_id",
  userId: "user_id",
  name: "name",
  hash: bytes("hash"),
  redacted: "redacted",
  acls: stringList("acls"),
  expireTime: "expire_time",
  createTime: "create_time",
  modifyTime: "modify_time",
  ipRanges: nullable(stringList("ip_ranges")),
  lastUseTime: "last_use_time",
});

const { fromRow } = mapper;

/** Returns the row without the time of last use, which createKeyUseStore() writes. */
function toRow(key: ManagementKey): Omit<ManagementKeyRow, "last_use_time"> {
  const { last_use_time: _, ...row } = mapper.toRow(key);
  return row;
}
