import { sql, type ExpressionBuilder } from "kysely";
import type { ApiKey, KeyQuery, Principal } from "../principals/api-key.js";
import type { TeamReading } from "../principals/team-reading.js";
import { insertUnique } from "../../store/conflict.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { Schema } from "../../store/tables.js";
import { createAccessGroupStore, type AccessGroupStore } from "../groups/store.js";
import type { TeamLimits } from "../principals/team-limit.js";
import { groupsIn } from "../principals/acls.js";
import { teamColumns } from "../teams/joined-columns.js";
import type { Team } from "../principals/team.js";
import { isUnchanged } from "../../store/unchanged.js";
import { selectKeysOfOwner } from "../../store/tables/known-keys.js";
import { createWrite, type Write } from "../../store/writes.js";

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** Creates the queries of the table of API keys. */
export function createApiKeyStore(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  const accessGroups = createAccessGroupStore(database);
  const insertRow = (key: ApiKey) => kysely.insertInto("apiKeys").values(withoutUse(key));
  return {
    /** @throws HearthError `conflict` when the hash or id exists already. */
    async insert(key: ApiKey): Promise<void> {
      await insertUnique("API key", () => insertRow(key).execute());
    },
    insertion(key: ApiKey): Write {
      return createWrite("apiKeys", insertRow(key).compile());
    },
    /**
     * Replaces `before` by `after`, except for the time of last use. The commit fails with `conflict` when the stored key
     * differs from `before`.
     */
    replacement(before: ApiKey, after: ApiKey): Write {
      // The id is left out: if it were set, SQLite would look for rows that refer to it.
      const { id, ...fields } = withoutUse(after);
      const query = kysely.updateTable("apiKeys").set(fields).where("id", "=", id);
      return createWrite("apiKeys", query.where(isUnchanged(withoutUse(before))).compile(), 1);
    },
    /** The commit fails with `conflict` when the stored key differs from `key`. */
    removal(key: ApiKey): Write {
      const query = kysely.deleteFrom("apiKeys").where(isUnchanged(withoutUse(key)));
      return createWrite("apiKeys", query.compile(), 1);
    },
    /**
     * Returns the key that has this hash, or had it before its last rotation, its team and the groups of both. It runs on every
     * request: one query on the unique indexes of the two hashes, and another where there are groups.
     */
    async findByHash(hash: Uint8Array): Promise<Principal | null> {
      const { rows } = await selectByHash({ hash, previousHash: hash });
      // A pinned secret may be one that another key had before it was rotated.
      const row = rows.find((one) => Buffer.from(one.hash).equals(hash)) ?? rows[0];
      return row === undefined ? null : withGroups(accessGroups, toPrincipal(row));
    },
    find: (id: string) => find(database, id),
    idsOfOwner: (teamId: string | null, ownerId: string) => idsOfOwner(database, teamId, ownerId),
    /** Whether there are no keys besides those that have one of these ids. */
    isEmpty: (except: readonly string[] = []) => isEmpty(database, except),
    /** Returns the keys that have this name and creator. */
    findByName: (name: string, userId: string) => findByName(database, name, userId),
    /** Returns the keys whose id starts with `reference`, or whose name or redacted form equals it, in order of id. */
    findByReference: (reference: string, limit: number) => findByReference(database, reference, limit),
    /** Returns keys in order of creation; `teamId` null: keys of all teams. */
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

async function isEmpty({ kysely }: Database, except: readonly string[]): Promise<boolean> {
  const others = kysely
    .selectFrom("apiKeys")
    .select("id")
    .$if(except.length > 0, (keys) => keys.where("id", "not in", except));
  return (await others.limit(1).executeTakeFirst()) === undefined;
}

async function findByName({ kysely }: Database, name: string, userId: string): Promise<readonly ApiKey[]> {
  const named = kysely.selectFrom("apiKeys").selectAll().where("name", "=", name);
  return named.where("userId", "=", userId).orderBy("createTime").execute();
}

async function find({ kysely }: Database, id: string): Promise<ApiKey | null> {
  return (await kysely.selectFrom("apiKeys").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
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
  const all = kysely.selectFrom("apiKeys").selectAll().orderBy("createTime").orderBy("id");
  return (teamId === null ? all : all.where("teamId", "=", teamId)).execute();
}

async function findByReference({ kysely }: Database, reference: string, limit: number): Promise<ApiKey[]> {
  return (
    kysely
      .selectFrom("apiKeys")
      .selectAll()
      // The highest code point is in no id: every id that starts with the reference sorts below this bound.
      .where((key) =>
        key.or([
          key.and([key("id", ">=", reference), key("id", "<", `${reference}\u{10ffff}`)]),
          key("redacted", "=", reference),
          key("name", "=", reference),
        ]),
      )
      .orderBy("id")
      .limit(limit)
      .execute()
  );
}

async function page({ reports, dialect }: Database, query: KeyQuery): Promise<ApiKey[]> {
  const { teamId, userId, after, acls, text, unexpiredAt, limit } = query;
  const each = dialect.selectStrings(sql.ref("acls"));
  const hasAcl = (acl: string) =>
    sql<boolean>`exists (select 1 from ${each} as each where each.value = ${acl})`;
  return reports
    .selectFrom("apiKeys")
    .selectAll()
    .where("teamId", "=", teamId)
    .$if(userId !== null, (keys) => keys.where("userId", "=", userId))
    .$if(after !== null, (keys) =>
      keys.where(sql<boolean>`(create_time, id) > (${after?.createTime}, ${after?.id})`),
    )
    .$if(text !== null, (keys) =>
      keys.where(dialect.contains(sql`name || ${dialect.lineBreak} || redacted`, String(text))),
    )
    .$if(unexpiredAt !== null, (keys) =>
      keys.where((key) => key.or([key("expireTime", "is", null), key("expireTime", ">", unexpiredAt)])),
    )
    .where((key: ExpressionBuilder<Schema, "apiKeys">) => key.and(acls.map(hasAcl)))
    .orderBy("createTime")
    .orderBy("id")
    .limit(limit)
    .execute();
}

function prepareByHash({ kysely, dialect }: Database) {
  type Hashes = Readonly<Record<"hash" | "previousHash", Uint8Array>>;
  return prepare(kysely, ["hash", "previousHash"], ({ hash, previousHash }: Hashes) =>
    kysely
      .selectFrom("apiKeys")
      .innerJoin("teams", "teams.id", "apiKeys.teamId")
      .selectAll("apiKeys")
      .select(teamColumns)
      .select([
        hasRow("budgets").as("hasBudgets"),
        selectLimits(dialect).as("limits"),
        hasRow("spendingLimits").as("hasMonthLimits"),
        selectCredit.as("credit"),
      ])
      .where((key) =>
        key.or([key("apiKeys.hash", "=", hash), key("apiKeys.previousHash", "=", previousHash)]),
      )
      .$castTo<PrincipalRow>(),
  );
}

interface PrincipalRow extends ApiKey {
  readonly team: Team;
  readonly hasBudgets: number;
  readonly limits: string | null;
  readonly hasMonthLimits: number;
  readonly credit: number | null;
}

/** Whether a table has a row of the key's team: 1 or 0. */
const hasRow = (table: "budgets" | "spendingLimits") => sql<number>`case when exists (
  select 1 from ${sql.table(table)} as owned where owned.team_id = api_keys.team_id) then 1 else 0 end`;

const selectCredit = sql<number | null>`(select balance_ticks from ledger_balances as balance
  where balance.team_id = api_keys.team_id and account = 'credit')`;

/** A team with more rate limits has them looked up by the model of a request. */
const limitsMax = 20;

/** The columns of a rate limit in the JSON that is read with a key. */
const limitColumns = ["model", "qps", "qpm", "tpm"].map((column) => sql.ref(column));

const selectLimits = ({ aggregateArrays }: Database["dialect"]) => sql<
  string | null
>`(select ${aggregateArrays(limitColumns)}
  from (select * from team_limits as owned where owned.team_id = api_keys.team_id limit ${sql.lit(limitsMax + 1)}) as found)`;

type ReadLimits = readonly [model: string, qps: number | null, qpm: number | null, tpm: number | null];

function readTeamLimits(teamId: string, limits: string | null): readonly TeamLimits[] | null {
  if (limits === null) return [];
  const read = JSON.parse(limits) as readonly ReadLimits[];
  if (read.length > limitsMax) return null;
  return read.map(([model, qps, qpm, tpm]) => ({ teamId, model, qps, qpm, tpm }));
}

function toPrincipal({ team, hasBudgets, limits, hasMonthLimits, credit, ...key }: PrincipalRow): Principal {
  const teamHas: TeamReading = {
    budgets: hasBudgets === 1,
    limits: readTeamLimits(team.id, limits),
    credit: hasMonthLimits === 1 ? null : (credit ?? 0),
  };
  return { key, team, teamHas };
}

/** Returns a key without the time of last use, which createKeyUseStore() writes. */
function withoutUse({ lastUseTime: _, ...key }: ApiKey): Omit<ApiKey, "lastUseTime"> {
  return key;
}
