import { sql } from "kysely";
import type { Session, SignedIn } from "./session.js";
import type { Member } from "../members/member.js";
import { teamColumns, teamOfRow, type MaybeJoinedTeam } from "../teams/joined-team.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { MemberRow } from "../../store/schema.js";
import type { ConsoleSessionRow } from "../../store/tables/sign-in.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../store/writes.js";

export type SignInStore = ReturnType<typeof createSignInStore>;

/** How a member signs in. */
export interface MemberSignIn {
  /** The hash of the password; null = the member has none. */
  readonly password: string | null;
  /** The key with which the member's sessions call /v1; null = not created yet. */
  readonly apiKeyId: string | null;
}

/** A link that has not been used. */
export interface SignInLink {
  readonly hash: Uint8Array;
  /** null: it creates the first owner of the server. */
  readonly memberId: string | null;
  readonly expireTime: number;
}

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
  const upsert = (memberId: string, fields: { password?: string | null; api_key_id?: string | null }) =>
    kysely
      .insertInto("member_sign_ins")
      .values({ member_id: memberId, password: null, api_key_id: null, ...fields })
      .onConflict((clash) => clash.column("member_id").doUpdateSet(fields))
      .compile();
  return {
    async findSignIn(memberId: string): Promise<MemberSignIn> {
      const row = await kysely
        .selectFrom("member_sign_ins")
        .selectAll()
        .where("member_id", "=", memberId)
        .executeTakeFirst();
      return { password: row?.password ?? null, apiKeyId: row?.api_key_id ?? null };
    },
    /** @param password its hash; null = the member has none. */
    passwordWrite: (memberId: string, password: string | null): Write =>
      createWrite("member_sign_ins", upsert(memberId, { password }), 1),
    /** Changes nothing. The commit fails with `conflict` when the hash of the member's password is no longer `password`. */
    passwordCheck(memberId: string, password: string): Write {
      const query = kysely
        .updateTable("member_sign_ins")
        .set({ password })
        .where("member_id", "=", memberId)
        .where("password", "=", password);
      return createWrite("member_sign_ins", query.compile(), 1);
    },
    /** The commit fails with `conflict` when the member's key is no longer `before`. */
    apiKeyWrite(memberId: string, apiKeyId: string, before: string | null): Write {
      // A member who signs in through the identity provider has no row before.
      const query = kysely
        .insertInto("member_sign_ins")
        .values({ member_id: memberId, password: null, api_key_id: apiKeyId })
        .onConflict((clash) =>
          clash
            .column("member_id")
            .doUpdateSet({ api_key_id: apiKeyId })
            .where("member_sign_ins.api_key_id", "is not distinct from", before),
        );
      return createWrite("member_sign_ins", query.compile(), 1);
    },
  };
}

function removalQueries({ kysely }: Database) {
  type Table = "member_sign_ins" | "sign_in_links" | "console_sessions";
  const removals = (tables: readonly Table[], memberId: string): readonly Write[] =>
    tables.map((table) =>
      createWrite(table, kysely.deleteFrom(table).where("member_id", "=", memberId).compile()),
    );
  return {
    /** Ends what a member signs in with: the password, the link and the sessions. The key of their sessions stays. */
    accessRemovals(memberId: string): readonly Write[] {
      const update = kysely.updateTable("member_sign_ins").set({ password: null });
      return [
        createWrite("member_sign_ins", update.where("member_id", "=", memberId).compile()),
        ...removals(["sign_in_links", "console_sessions"], memberId),
      ];
    },
    /** Deletes the password, the link and the sessions of a member. */
    memberRemovals: (memberId: string): readonly Write[] =>
      removals(["member_sign_ins", "sign_in_links", "console_sessions"], memberId),
  };
}

function consoleKeyQueries({ kysely }: Database) {
  return {
    /** Returns the ids of the keys with which sessions of these members call the models. */
    async consoleKeyIds(memberIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (memberIds.length === 0) return new Set();
      const rows = await kysely
        .selectFrom("member_sign_ins")
        .select("api_key_id")
        .where("member_id", "in", memberIds)
        .execute();
      return new Set(rows.flatMap(({ api_key_id: id }) => (id === null ? [] : [id])));
    },
  };
}

function linkQueries({ kysely }: Database) {
  return {
    /** Stores a link instead of the member's former one. */
    linkWrites: ({ hash, memberId, expireTime }: SignInLink): readonly Write[] => [
      createWrite(
        "sign_in_links",
        kysely.deleteFrom("sign_in_links").where("member_id", "is not distinct from", memberId).compile(),
      ),
      createWrite(
        "sign_in_links",
        kysely
          .insertInto("sign_in_links")
          .values({ hash, member_id: memberId, expire_time: expireTime })
          .compile(),
      ),
    ],
    /** Changes nothing. The commit fails with `conflict` when an identity provider signs the member in. */
    unlinkedCheck(memberId: string): Write {
      const query = kysely
        .updateTable("members")
        .set({ email_folded: sql.ref("email_folded") })
        .where("id", "=", memberId)
        .where(sql<boolean>`not exists (select 1 from member_identities where member_id = ${memberId})`);
      return createWrite("members", query.compile(), 1);
    },
    /** Deletes all links. */
    allLinkRemovals: (): Write => createWrite("sign_in_links", kysely.deleteFrom("sign_in_links").compile()),
    /** The commit fails with `conflict` when the link has been used. */
    linkRemoval: ({ hash }: SignInLink): Write =>
      createWrite("sign_in_links", kysely.deleteFrom("sign_in_links").where("hash", "=", hash).compile(), 1),
    async findLink(hash: Uint8Array): Promise<SignInLink | null> {
      const row = await kysely
        .selectFrom("sign_in_links")
        .selectAll()
        .where("hash", "=", hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { hash, memberId: row.member_id, expireTime: row.expire_time };
    },
  };
}

function sessionQueries(database: Database) {
  const { kysely } = database;
  const selectByHash = prepareByHash(database);
  return {
    /** Stores a session and deletes the member's oldest ones beyond `sessionsMax`. */
    sessionWrites(session: Session, sessionsMax: number): readonly Write[] {
      const insert = kysely.insertInto("console_sessions").values(toRow(session));
      const beyond = sql`delete from console_sessions where member_id = ${session.memberId} and id not in (
        select id from console_sessions where member_id = ${session.memberId}
        order by create_time desc, id desc limit ${sessionsMax})`;
      return [
        createWrite("console_sessions", insert.compile()),
        createWrite("console_sessions", beyond.compile(kysely)),
      ];
    },
    /** Returns the session with this hash, its member and the member's team, in one query. */
    async findSession(hash: Uint8Array): Promise<SignedIn | null> {
      const row = (await selectByHash({ hash })).rows[0];
      if (row === undefined) return null;
      return { session: sessionOf(row), member: memberOf(row), team: teamOfRow(row) };
    },
    useWrite: ({ id }: Session, time: number): Write =>
      createWrite(
        "console_sessions",
        kysely.updateTable("console_sessions").set({ last_use_time: time }).where("id", "=", id).compile(),
      ),
    /** Changes nothing. The commit fails with `conflict` when the session has ended. */
    sessionCheck: ({ id }: Session): Write =>
      createWrite(
        "console_sessions",
        kysely.updateTable("console_sessions").set({ id }).where("id", "=", id).compile(),
        1,
      ),
    sessionRemoval: ({ id }: Session): Write =>
      createWrite("console_sessions", kysely.deleteFrom("console_sessions").where("id", "=", id).compile()),
    sessionRemovals: (memberId: string): Write =>
      createWrite(
        "console_sessions",
        kysely.deleteFrom("console_sessions").where("member_id", "=", memberId).compile(),
      ),
    /** Ends the sessions of all members. */
    allSessionRemovals: (): Write =>
      createWrite("console_sessions", kysely.deleteFrom("console_sessions").compile()),
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(database, { table: "console_sessions", key: "id" }, now, limit),
  };
}

interface JoinedMember extends ConsoleSessionRow, MaybeJoinedTeam {
  readonly member_team_id: string | null;
  readonly email: string;
  readonly given_name: string;
  readonly family_name: string;
  readonly role: MemberRow["role"];
  readonly member_create_time: number;
}

function prepareByHash({ kysely }: Database) {
  return prepare(kysely, ["hash"], ({ hash }: { hash: Uint8Array }) =>
    kysely
      .selectFrom("console_sessions")
      .innerJoin("members", "members.id", "console_sessions.member_id")
      .leftJoin("teams", "teams.id", "members.team_id")
      .selectAll("console_sessions")
      .select(["members.team_id as team_id", "members.team_id as member_team_id", ...teamColumns])
      .select(["members.email", "members.given_name", "members.family_name", "members.role"])
      .select(["members.create_time as member_create_time"])
      .where("console_sessions.hash", "=", hash)
      .where("members.remove_time", "is", null)
      .$castTo<JoinedMember>(),
  );
}

function sessionOf(row: ConsoleSessionRow): Session {
  return {
    id: row.id,
    memberId: row.member_id,
    hash: new Uint8Array(row.hash),
    createTime: row.create_time,
    lastUseTime: row.last_use_time,
    expireTime: row.expire_time,
  };
}

function memberOf(row: JoinedMember): Member {
  return {
    id: row.member_id,
    teamId: row.member_team_id,
    email: row.email,
    givenName: row.given_name,
    familyName: row.family_name,
    role: row.role,
    createTime: row.member_create_time,
  };
}

function toRow(session: Session): ConsoleSessionRow {
  return {
    id: session.id,
    hash: session.hash,
    member_id: session.memberId,
    create_time: session.createTime,
    last_use_time: session.lastUseTime,
    expire_time: session.expireTime,
  };
}
