import type { ManagementKey, ManagementKeyStore, Manager } from "./management-key.js";
import type { Role } from "../members/member.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { ManagementKeyRow } from "../../store/schema.js";
import { teamBeside, teamColumns, type MaybeTeamBeside } from "../teams/joined-team.js";
import { writeOf } from "../../store/writes.js";

/** The table of management keys. A key of all teams has no team of its own. */
export function createManagementKeyStore(database: Database): ManagementKeyStore {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    insertion: (key) =>
      writeOf("management_keys", kysely.insertInto("management_keys").values(toRow(key)).compile()),
    removal: ({ id }) =>
      writeOf("management_keys", kysely.deleteFrom("management_keys").where("id", "=", id).compile(), 1),
    async findByHash(hash) {
      const row = (await selectByHash({ hash })).rows[0];
      return row === undefined ? null : { key: fromRow(row), team: teamBeside(row), member: memberOf(row) };
    },
    async list() {
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

/** A key's row and, beside it, its team's, all null of a key of all teams, and its member's, likewise of nobody's key. */
interface ManagerRow extends ManagementKeyRow, MaybeTeamBeside {
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

/** All but when it was last used. */
function toRow(key: ManagementKey): Omit<ManagementKeyRow, "last_use_time"> {
  return {
    id: key.id,
    team_id: key.teamId,
    user_id: key.userId,
    name: key.name,
    hash: key.hash,
    redacted: key.redacted,
    acls: JSON.stringify(key.acls),
    expire_time: key.expireTime,
    create_time: key.createTime,
    modify_time: key.modifyTime,
    ip_ranges: key.ipRanges === null ? null : JSON.stringify(key.ipRanges),
  };
}

function fromRow(row: ManagementKeyRow): ManagementKey {
  return {
    id: row.id,
    teamId: row.team_id,
    userId: row.user_id,
    name: row.name,
    hash: new Uint8Array(row.hash),
    redacted: row.redacted,
    acls: JSON.parse(row.acls) as string[],
    expireTime: row.expire_time,
    createTime: row.create_time,
    modifyTime: row.modify_time,
    ipRanges: row.ip_ranges === null ? null : (JSON.parse(row.ip_ranges) as string[]),
    lastUseTime: row.last_use_time,
  };
}
