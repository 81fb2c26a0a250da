import type { ApiKey, ApiKeyStore, Principal } from "../core/api-key.js";
import { insertUnique } from "./conflict.js";
import type { Database } from "./database.js";
import { prepare } from "./prepared.js";
import type { ApiKeyRow, TeamRow } from "./schema.js";

/** The table of API keys. `findByHash` runs on every request: one look-up in the unique index of `hash`. */
export function createApiKeyStore(database: Database): ApiKeyStore {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    async insert(key) {
      await insertUnique("API key", () => kysely.insertInto("api_keys").values(toRow(key)).execute());
    },
    async findByHash(hash) {
      const { rows } = await selectByHash({ hash });
      const row = rows[0];
      return row === undefined ? null : toPrincipal(row);
    },
    async find(id) {
      const row = await kysely.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    async list(teamId) {
      const all = kysely.selectFrom("api_keys").selectAll().orderBy("create_time").orderBy("id");
      const rows = await (teamId === null ? all : all.where("team_id", "=", teamId)).execute();
      return rows.map(fromRow);
    },
    async delete(id) {
      const { numDeletedRows } = await kysely.deleteFrom("api_keys").where("id", "=", id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** A key's row and, beside it, its team's. */
interface PrincipalRow extends ApiKeyRow {
  readonly team_name: string;
  readonly team_billing: TeamRow["billing"];
  readonly team_blocked: number;
  readonly team_weight: number;
  readonly team_create_time: number;
}

function prepareByHash({ kysely }: Database) {
  return prepare(kysely, ["hash"], (parameters: { hash: Uint8Array }) =>
    kysely
      .selectFrom("api_keys")
      .innerJoin("teams", "teams.id", "api_keys.team_id")
      .selectAll("api_keys")
      .select([
        "teams.name as team_name",
        "teams.billing as team_billing",
        "teams.blocked as team_blocked",
        "teams.weight as team_weight",
        "teams.create_time as team_create_time",
      ])
      .where("api_keys.hash", "=", parameters.hash)
      .$castTo<PrincipalRow>(),
  );
}

function toPrincipal(row: PrincipalRow): Principal {
  return {
    key: fromRow(row),
    team: {
      id: row.team_id,
      name: row.team_name,
      billing: row.team_billing,
      blocked: row.team_blocked === 1,
      weight: row.team_weight,
      createTime: row.team_create_time,
    },
  };
}

function toRow(key: ApiKey): ApiKeyRow {
  return {
    id: key.id,
    team_id: key.teamId,
    user_id: key.userId,
    name: key.name,
    hash: key.hash,
    redacted: key.redacted,
    acls: JSON.stringify(key.acls),
    disabled: Number(key.disabled),
    blocked: Number(key.blocked),
    expire_time: key.expireTime,
    create_time: key.createTime,
    modify_time: key.modifyTime,
    modified_by: key.modifiedBy,
  };
}

function fromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    teamId: row.team_id,
    userId: row.user_id,
    name: row.name,
    hash: new Uint8Array(row.hash),
    redacted: row.redacted,
    acls: JSON.parse(row.acls) as string[],
    disabled: row.disabled === 1,
    blocked: row.blocked === 1,
    expireTime: row.expire_time,
    createTime: row.create_time,
    modifyTime: row.modify_time,
    modifiedBy: row.modified_by,
  };
}
