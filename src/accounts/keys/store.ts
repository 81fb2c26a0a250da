import { sql, type ExpressionBuilder } from "kysely";
import type { ApiKey, ApiKeyStore, KeyQuery, Principal } from "./api-key.js";
import { insertUnique } from "../../store/conflict.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { ApiKeyRow, Schema } from "../../store/schema.js";
import { teamBeside, teamColumns, type TeamBeside } from "../teams/joined-team.js";
import { asBefore } from "../../store/unchanged.js";
import { writeOf } from "../../store/writes.js";

/** The table of API keys. `findByHash` runs on every request: one look-up, in the unique indexes of the two hashes. */
export function createApiKeyStore(database: Database): ApiKeyStore {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  const insertRow = (key: ApiKey) => kysely.insertInto("api_keys").values(toRow(key));
  return {
    async insert(key) {
      await insertUnique("API key", () => insertRow(key).execute());
    },
    insertion: (key) => writeOf("api_keys", insertRow(key).compile()),
    replacement(before, after) {
      // Were the id set, too, SQLite would look for rows that refer to it.
      const { id, ...changed } = toRow(after);
      const query = kysely.updateTable("api_keys").set(changed).where("id", "=", id);
      return writeOf("api_keys", query.where(asBefore(toRow(before))).compile(), 1);
    },
    removal: (key) =>
      writeOf(
        "api_keys",
        kysely
          .deleteFrom("api_keys")
          .where(asBefore(toRow(key)))
          .compile(),
        1,
      ),
    async findByHash(hash) {
      const { rows } = await selectByHash({ hash, previousHash: hash });
      // A secret of the operator's own choosing may be one that another key had before it was rotated.
      const row = rows.find((one) => Buffer.from(one.hash).equals(hash)) ?? rows[0];
      return row === undefined ? null : toPrincipal(row);
    },
    async find(id) {
      const row = await kysely.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    async isEmpty() {
      return (await kysely.selectFrom("api_keys").select("id").limit(1).executeTakeFirst()) === undefined;
    },
    like: (reference, limit) => like(database, reference, limit),
    async list(teamId) {
      const all = kysely.selectFrom("api_keys").selectAll().orderBy("create_time").orderBy("id");
      const rows = await (teamId === null ? all : all.where("team_id", "=", teamId)).execute();
      return rows.map(fromRow);
    },
    page: (query) => page(database, query),
  };
}

async function like({ kysely }: Database, reference: string, limit: number): Promise<ApiKey[]> {
  const rows = await kysely
    .selectFrom("api_keys")
    .selectAll()
    // No id holds the last character of all: what begins with the reference is below it.
    .where((key) =>
      key.or([
        key.and([key("id", ">=", reference), key("id", "<", `${reference}\u{10ffff}`)]),
        key("redacted", "=", reference),
      ]),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

async function page({ kysely }: Database, query: KeyQuery): Promise<ApiKey[]> {
  const { teamId, after, acls, unexpiredAt, limit } = query;
  const holds = (acl: string) => sql<boolean>`exists (select 1 from json_each(acls) where value = ${acl})`;
  const rows = await kysely
    .selectFrom("api_keys")
    .selectAll()
    .where("team_id", "=", teamId)
    .$if(after !== null, (keys) =>
      keys.where(sql<boolean>`(create_time, id) > (${after?.createTime}, ${after?.id})`),
    )
    .$if(unexpiredAt !== null, (keys) =>
      keys.where((key) => key.or([key("expire_time", "is", null), key("expire_time", ">", unexpiredAt)])),
    )
    .where((key: ExpressionBuilder<Schema, "api_keys">) => key.and(acls.map(holds)))
    .orderBy("create_time")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/** A key's row and, beside it, its team's. */
type PrincipalRow = ApiKeyRow & TeamBeside;

function prepareByHash({ kysely }: Database) {
  type Hashes = Readonly<Record<"hash" | "previousHash", Uint8Array>>;
  return prepare(kysely, ["hash", "previousHash"], ({ hash, previousHash }: Hashes) =>
    kysely
      .selectFrom("api_keys")
      .innerJoin("teams", "teams.id", "api_keys.team_id")
      .selectAll("api_keys")
      .select(teamColumns)
      .where((key) =>
        key.or([key("api_keys.hash", "=", hash), key("api_keys.previous_hash", "=", previousHash)]),
      )
      .$castTo<PrincipalRow>(),
  );
}

function toPrincipal(row: PrincipalRow): Principal {
  return { key: fromRow(row), team: teamBeside(row) };
}

/** All but when it was last used. */
function toRow(key: ApiKey): Omit<ApiKeyRow, "last_use_time"> {
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
    qps: key.qps,
    qpm: key.qpm,
    tpm: key.tpm,
    previous_hash: key.previousHash,
    previous_expire_time: key.previousExpireTime,
    ip_ranges: key.ipRanges === null ? null : JSON.stringify(key.ipRanges),
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
    qps: row.qps,
    qpm: row.qpm,
    tpm: row.tpm,
    previousHash: row.previous_hash === null ? null : new Uint8Array(row.previous_hash),
    previousExpireTime: row.previous_expire_time,
    ipRanges: row.ip_ranges === null ? null : (JSON.parse(row.ip_ranges) as string[]),
    lastUseTime: row.last_use_time,
  };
}
