import { sql } from "kysely";
import type { Session, SignedIn } from "../session.js";
import { memberColumns, teamColumns } from "../../teams/joined-columns.js";
import type { Database } from "../../../store/database.js";
import { prepare } from "../../../store/prepared.js";
import { deleteExpired } from "../../../store/tables/delete-expired.js";
import type { Row } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";

export type SignInStore = ReturnType<typeof createSignInStore>;

/** How a member signs in. */
type MemberSignIn = Omit<Row<"memberSignIns">, "memberId">;

/** A link that has not been used. */
export type SignInLink = Row<"signInLinks">;

/** Creates the queries of passwords, links and sessions. Sessions of removed members are not found. */
export function createSignInStore(database: Database) {
  return {
    ...memberQueries(database),
    ...removalQueries(database),
    ...consoleKeyQueries(database),
    ...linkQueries(database),
    ...sessionQueries(database),
  };
}

function memberQueries({ kysely }: Database) {
  const upsert = (memberId: string, fields: { password?: string | null; apiKeyId?: string | null }) =>
    kysely
      .insertInto("memberSignIns")
      .values({ memberId, password: null, apiKeyId: null, ...fields })
      .onConflict((clash) => clash.column("memberId").doUpdateSet(fields))
      .compile();
  return {
    async findSignIn(memberId: string): Promise<MemberSignIn> {
      const row = await kysely
        .selectFrom("memberSignIns")
        .selectAll()
        .where("memberId", "=", memberId)
        .executeTakeFirst();
      return { password: row?.password ?? null, apiKeyId: row?.apiKeyId ?? null };
    },
    /** @param password its hash; null = the member has none. */
    passwordWrite: (memberId: string, password: string | null): Write =>
      createWrite("memberSignIns", upsert(memberId, { password }), 1),
    /** Changes nothing. The commit fails with `conflict` when the hash of the member's password is no longer `password`. */
    passwordCheck(memberId: string, password: string): Write {
      const query = kysely
        .updateTable("memberSignIns")
        .set({ password })
        .where("memberId", "=", memberId)
        .where("password", "=", password);
      return createWrite("memberSignIns", query.compile(), 1);
    },
    /** The commit fails with `conflict` when the member's key is no longer `before`. */
    apiKeyWrite(memberId: string, apiKeyId: string, before: string | null): Write {
      // A member who signs in through the identity provider has no row before.
      const query = kysely
        .insertInto("memberSignIns")
        .values({ memberId, password: null, apiKeyId })
        .onConflict((clash) =>
          clash
            .column("memberId")
            .doUpdateSet({ apiKeyId })
            .where("memberSignIns.apiKeyId", "is not distinct from", before),
        );
      return createWrite("memberSignIns", query.compile(), 1);
    },
  };
}

function removalQueries({ kysely }: Database) {
  type Table = "memberSignIns" | "signInLinks" | "consoleSessions";
  const removals = (tables: readonly Table[], memberId: string): readonly Write[] =>
    tables.map((table) =>
      createWrite(table, kysely.deleteFrom(table).where("memberId", "=", memberId).compile()),
    );
  return {
    /** Ends what a member signs in with: the password, the link and the sessions. The key of their sessions stays. */
    accessRemovals(memberId: string): readonly Write[] {
      const update = kysely.updateTable("memberSignIns").set({ password: null });
      return [
        createWrite("memberSignIns", update.where("memberId", "=", memberId).compile()),
        ...removals(["signInLinks", "consoleSessions"], memberId),
      ];
    },
    /** Deletes the password, the link and the sessions of a member. */
    memberRemovals: (memberId: string): readonly Write[] =>
      removals(["memberSignIns", "signInLinks", "consoleSessions"], memberId),
  };
}

function consoleKeyQueries({ kysely }: Database) {
  return {
    /** Returns the ids of the keys with which sessions of these members call the models. */
    async consoleKeyIds(memberIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (memberIds.length === 0) return new Set();
      const rows = await kysely
        .selectFrom("memberSignIns")
        .select("apiKeyId")
        .where("memberId", "in", memberIds)
        .execute();
      return new Set(rows.flatMap(({ apiKeyId: id }) => (id === null ? [] : [id])));
    },
  };
}

function linkQueries({ kysely }: Database) {
  return {
    /** Stores a link instead of the member's former one. */
    linkWrites: ({ hash, memberId, expireTime }: SignInLink): readonly Write[] => [
      createWrite(
        "signInLinks",
        kysely.deleteFrom("signInLinks").where("memberId", "is not distinct from", memberId).compile(),
      ),
      createWrite(
        "signInLinks",
        kysely.insertInto("signInLinks").values({ hash, memberId, expireTime }).compile(),
      ),
    ],
    /** Changes nothing. The commit fails with `conflict` when an identity provider signs the member in. */
    unlinkedCheck(memberId: string): Write {
      const query = kysely
        .updateTable("members")
        .set({ emailFolded: sql.ref("emailFolded") })
        .where("id", "=", memberId)
        .where(sql<boolean>`not exists (select 1 from member_identities where member_id = ${memberId})`);
      return createWrite("members", query.compile(), 1);
    },
    /** Deletes all links. */
    allLinkRemovals: (): Write => createWrite("signInLinks", kysely.deleteFrom("signInLinks").compile()),
    /** The commit fails with `conflict` when the link has been used. */
    linkRemoval: ({ hash }: SignInLink): Write =>
      createWrite("signInLinks", kysely.deleteFrom("signInLinks").where("hash", "=", hash).compile(), 1),
    async findLink(hash: Uint8Array): Promise<SignInLink | null> {
      const row = await kysely
        .selectFrom("signInLinks")
        .selectAll()
        .where("hash", "=", hash)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}

function sessionQueries(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    /** Stores a session and deletes the member's oldest ones beyond `sessionsMax`. */
    sessionWrites(session: Session, sessionsMax: number): readonly Write[] {
      const insert = kysely.insertInto("consoleSessions").values(session);
      const beyond = sql`delete from console_sessions where member_id = ${session.memberId} and id not in (
        select id from console_sessions where member_id = ${session.memberId}
        order by create_time desc, id desc limit ${sessionsMax})`;
      return [
        createWrite("consoleSessions", insert.compile()),
        createWrite("consoleSessions", beyond.compile(kysely)),
      ];
    },
    /** Returns the session with this hash, its member and the member's team, in one query. */
    async findSession(hash: Uint8Array): Promise<SignedIn | null> {
      const row = (await selectByHash({ hash })).rows[0];
      if (row === undefined) return null;
      const { member, team, ...session } = row;
      return { session, member, team };
    },
    useWrite: ({ id }: Session, time: number): Write =>
      createWrite(
        "consoleSessions",
        kysely.updateTable("consoleSessions").set({ lastUseTime: time }).where("id", "=", id).compile(),
      ),
    /** Changes nothing. The commit fails with `conflict` when the session has ended. */
    sessionCheck: ({ id }: Session): Write =>
      createWrite(
        "consoleSessions",
        kysely.updateTable("consoleSessions").set({ id }).where("id", "=", id).compile(),
        1,
      ),
    sessionRemoval: ({ id }: Session): Write =>
      createWrite("consoleSessions", kysely.deleteFrom("consoleSessions").where("id", "=", id).compile()),
    sessionRemovals: (memberId: string): Write =>
      createWrite(
        "consoleSessions",
        kysely.deleteFrom("consoleSessions").where("memberId", "=", memberId).compile(),
      ),
    /** Ends the sessions of all members. */
    allSessionRemovals: (): Write =>
      createWrite("consoleSessions", kysely.deleteFrom("consoleSessions").compile()),
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(database.kysely, { table: "consoleSessions", key: "id" }, now, limit),
  };
}

function prepareByHash({ kysely }: Database) {
  return prepare(kysely, ["hash"], ({ hash }: { hash: Uint8Array }) =>
    kysely
      .selectFrom("consoleSessions")
      .innerJoin("members", "members.id", "consoleSessions.memberId")
      .leftJoin("teams", "teams.id", "members.teamId")
      .selectAll("consoleSessions")
      .select([...memberColumns, ...teamColumns])
      .where("consoleSessions.hash", "=", hash)
      .where("members.removeTime", "is", null)
      .$castTo<Session & SignedIn>(),
  );
}
