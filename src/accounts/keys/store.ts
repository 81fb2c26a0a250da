import { sql, type ExpressionBuilder } from "kysely";
import type { ApiKey, KeyQuery, Principal } from "./api-key.js";
import type { TeamReading } from "./team-reading.js";
import { bytes, createRowMapper, flag, nullable, stringList } from "../../store/columns.js";
import { insertUnique } from "../../store/conflict.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { ApiKeyRow, Schema } from "../../store/schema.js";
import { createAccessGroupStore, type AccessGroupStore } from "../groups/store.js";
import type { TeamLimits } from "../limits/team-limit.js";
import { groupsIn } from "./acls.js";
import { teamOfRow, teamColumns, type JoinedTeam } from "../teams/joined-team.js";
import { isUnchanged } from "../../store/unchanged.js";
import { selectKeysOfOwner } from "../../store/tables/known-keys.js";
import { createWrite, type Write } from "../../store/writes.js";

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** Creates the queries of the table of API keys. */
export function createApiKeyStore(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  const accessGroups = createAccessGroupStore(database);
  const insertRow = (key: ApiKey) => kysely.insertInto("api_keys").values(toRow(key));
  return {
    /** @throws HearthError `conflict` when the hash or id exists already. */
    async insert(key: ApiKey): Promise<void> {
      await insertUnique("API key", () => insertRow(key).execute());
    },
    insertion(key: ApiKey): Write {
      return createWrite("api_keys", insertRow(key).compile());
    },
    /**
     * Replaces `before` by `after`, except for the time of last use. The commit fails with `conflict` when the stored key
     * differs from `before`.
     */
    replacement(before: ApiKey, after: ApiKey): Write {
      // The id is left out: if it were set, SQLite would look for rows that refer to it.
      const { id, ...fields } = toRow(after);
      const query = kysely.updateTable("api_keys").set(fields).where("id", "=", id);
      return createWrite("api_keys", query.where(isUnchanged(toRow(before))).compile(), 1);
    },
    /** The commit fails with `conflict` when the stored key differs from `key`. */
    removal(key: ApiKey): Write {
      const query = kysely.deleteFrom("api_keys").where(isUnchanged(toRow(key)));
      return createWrite("api_keys", query.compile(), 1);
    },
    /**
     * Returns the key that has this hash, or had it before its last rotation, its team and the groups of both. It runs on every
     * request: one query on the unique indexes of the two hashes, and another where there are groups.
     */
    async findByHash(hash: Uint8Array): Promise<Principal | null> {
      const { rows } = await selectByHash({ hash, previousHash: hash });
      // A pinned secret may be one that another key had before it was rotated.
      const row = rows.find((one) => Buffer.from(one.hash).equals(hash)) ?? rows[0];
      return row === undefined ? null : withGroups(accessGroups, principalOf(row));
    },
    find: (id: string) => find(database, id),
    idsOfOwner: (teamId: string | null, ownerId: string) => idsOfOwner(database, teamId, ownerId),
    isEmpty: () => isEmpty(database),
    /** Returns the keys whose id starts with `reference`, or whose redacted form equals it, in order of id. */
    findByReference: (reference: string, limit: number) => findByReference(database, reference, limit),
    /** Returns keys in order of creation; those of all teams when `teamId` is null. */
    list: (teamId: string | null) => list(database, teamId),
    /** Returns keys in order of creation. */
    page: (query: KeyQuery) => page(database, query),
  };
}

/** Adds the groups that the ACLs of the key and the team name. */
async function withGroups(store: AccessGroupStore, principal: Principal): Promise<Principal> {
  const names = groupsIn([...principal.key.acls, ...(principal.team.acls ?? [])]);
  if (names.length === 0) return principal;
  const groups = await store.findAll(names);
  return { ...principal, groups: new Map(groups.map(({ name, acls }) => [name, acls])) };
}

/** Whether there are no keys at all. */
async function isEmpty({ kysely }: Database): Promise<boolean> {
  return (await kysely.selectFrom("api_keys").select("id").limit(1).executeTakeFirst()) === undefined;
}

async function find({ kysely }: Database, id: string): Promise<ApiKey | null> {
  const row = await kysely.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

/** Returns the ids of the keys that a member has created in a team, deleted ones included; of all teams when `teamId` is null. */
async function idsOfOwner(
  { kysely }: Database,
  teamId: string | null,
  ownerId: string,
): Promise<readonly string[]> {
  const teams = teamId === null ? sql`(select id from teams)` : sql`(${teamId})`;
  const own = selectKeysOfOwner(teams, ownerId);
  const { rows } = await sql<{ readonly id: string }>`select id from ${own} as own`.execute(kysely);
  return rows.map(({ id }) => id);
}

async function list({ kysely }: Database, teamId: string | null): Promise<readonly ApiKey[]> {
  const all = kysely.selectFrom("api_keys").selectAll().orderBy("create_time").orderBy("id");
  const rows = await (teamId === null ? all : all.where("team_id", "=", teamId)).execute();
  return rows.map(fromRow);
}

async function findByReference({ kysely }: Database, reference: string, limit: number): Promise<ApiKey[]> {
  const rows = await kysely
    .selectFrom("api_keys")
    .selectAll()
    // The highest code point is in no id: every id that starts with the reference sorts below this bound.
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

async function page({ reports, dialect }: Database, query: KeyQuery): Promise<ApiKey[]> {
  const { teamId, userId, after, acls, text, unexpiredAt, limit } = query;
  const each = dialect.listOf(sql.ref("acls"));
  const hasAcl = (acl: string) =>
    sql<boolean>`exists (select 1 from ${each} as each where each.value = ${acl})`;
  const rows = await reports
    .selectFrom("api_keys")
    .selectAll()
    .where("team_id", "=", teamId)
    .$if(userId !== null, (keys) => keys.where("user_id", "=", userId))
    .$if(after !== null, (keys) =>
      keys.where(sql<boolean>`(create_time, id) > (${after?.createTime}, ${after?.id})`),
    )
    .$if(text !== null, (keys) =>
      keys.where(dialect.contains(sql`name || ${dialect.lineBreak} || redacted`, String(text))),
    )
    .$if(unexpiredAt !== null, (keys) =>
      keys.where((key) => key.or([key("expire_time", "is", null), key("expire_time", ">", unexpiredAt)])),
    )
    .where((key: ExpressionBuilder<Schema, "api_keys">) => key.and(acls.map(hasAcl)))
    .orderBy("create_time")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

function prepareByHash({ kysely, dialect }: Database) {
  type Hashes = Readonly<Record<"hash" | "previousHash", Uint8Array>>;
  return prepare(kysely, ["hash", "previousHash"], ({ hash, previousHash }: Hashes) =>
    kysely
      .selectFrom("api_keys")
      .innerJoin("teams", "teams.id", "api_keys.team_id")
      .selectAll("api_keys")
      .select(teamColumns)
      .select([
        hasRow("budgets").as("has_budgets"),
        limitsOf(dialect).as("limits"),
        hasRow("spending_limits").as("has_month_limits"),
        credit.as("credit"),
      ])
      .where((key) =>
        key.or([key("api_keys.hash", "=", hash), key("api_keys.previous_hash", "=", previousHash)]),
      )
      .$castTo<PrincipalRow>(),
  );
}

type PrincipalRow = ApiKeyRow &
  JoinedTeam & {
    readonly has_budgets: number;
    readonly limits: string | null;
    readonly has_month_limits: number;
    readonly credit: number | null;
  };

/** Whether a table has a row of the key's team: 1 or 0. */
const hasRow = (table: "budgets" | "spending_limits") => sql<number>`case when exists (
  select 1 from ${sql.table(table)} as owned where owned.team_id = api_keys.team_id) then 1 else 0 end`;

const credit = sql<number | null>`(select balance_ticks from ledger_balances as balance
  where balance.team_id = api_keys.team_id and account = 'credit')`;

/** A team with more rate limits has them looked up by the model of a request. */
const limitsMax = 20;

/** The columns of a rate limit in the JSON that is read with a key. */
const limitColumns = ["model", "qps", "qpm", "tpm"].map((column) => sql.ref(column));

const limitsOf = ({ arrayOf }: Database["dialect"]) => sql<string | null>`(select ${arrayOf(limitColumns)}
  from (select * from team_limits as owned where owned.team_id = api_keys.team_id limit ${sql.lit(limitsMax + 1)}) as found)`;

type ReadLimits = readonly [model: string, qps: number | null, qpm: number | null, tpm: number | null];

function limitsOfRow({ team_id: teamId, limits }: PrincipalRow): readonly TeamLimits[] | null {
  if (limits === null) return [];
  const read = JSON.parse(limits) as readonly ReadLimits[];
  if (read.length > limitsMax) return null;
  return read.map(([model, qps, qpm, tpm]) => ({ teamId, model, qps, qpm, tpm }));
}

function principalOf(row: PrincipalRow): Principal {
  const teamHas: TeamReading = {
    budgets: row.has_budgets === 1,
    limits: limitsOfRow(row),
    credit: row.has_month_limits === 1 ? null : (row.credit ?? 0),
  };
  return { key: fromRow(row), team: teamOfRow(row), teamHas };
}

const mapper = createRowMapper<ApiKey, ApiKeyRow>({
  id: "id",
  teamId: "team_id",
  userId: "user_id",
  name: "name",
  hash: bytes("hash"),
  redacted: "redacted",
  acls: stringList("acls"),
  disabled: flag("disabled"),
  blocked: flag("blocked"),
  expireTime: "expire_time",
  createTime: "create_time",
  modifyTime: "modify_time",
  modifiedBy: "modified_by",
  qps: "qps",
  qpm: "qpm",
  tpm: "tpm",
  endUserQpm: "end_user_qpm",
  endUserTpm: "end_user_tpm",
  previousHash: nullable(bytes("previous_hash")),
  previousExpireTime: "previous_expire_time",
  ipRanges: nullable(stringList("ip_ranges")),
  lastUseTime: "last_use_time",
});

const { fromRow } = mapper;

/** Returns the row without the time of last use, which createKeyUseStore() writes. */
function toRow(key: ApiKey): Omit<ApiKeyRow, "last_use_time"> {
  const { last_use_time: _, ...row } = mapper.toRow(key);
  return row;
}
