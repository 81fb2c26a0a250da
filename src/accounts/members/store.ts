import { sql } from "kysely";
import { foldEmail, type Member, type MemberQuery } from "../principals/member.js";
import type { Database } from "../../store/database.js";
import type { Row } from "../../store/tables.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";

export type MemberStore = ReturnType<typeof createMemberStore>;

/** Creates the queries of the table of members. Rows of removed members stay, so that the audit log can show who they were. */
export function createMemberStore(database: Database) {
  const { kysely } = database;
  const current = kysely.selectFrom("members").selectAll().where("removeTime", "is", null);
  return {
    /** The commit fails with `conflict` when another member has the e-mail address. */
    insertion(member: Member): Write {
      const insert = kysely.insertInto("members").values(toRow(member));
      return createWrite("members", insert.onConflict((clash) => clash.doNothing()).compile(), 1);
    },
    /**
     * Replaces `before` by `after`. The commit fails with `conflict` when the stored member differs from `before`, when
     * another member has the e-mail address, and when the team (or the server) would lose its last owner.
     * @param options whether a team, though never the server, may lose its last owner; absent: it may not
     */
    replacement: (before: Member, after: Member, options: ReplacementOptions = {}) =>
      replacement(database, before, after, options),
    /**
     * Marks the member as removed: afterwards only `findEver` returns it. The commit fails with `conflict` when the stored
     * member differs from `member`, and when the team (or the server) would lose its last owner.
     */
    removal: (member: Member, removeTime: number) => removal(database, member, removeTime),
    async find(id: string): Promise<Member | null> {
      return fromOptionalRow(await current.where("id", "=", id).executeTakeFirst());
    },
    async findByEmail(email: string): Promise<Member | null> {
      return fromOptionalRow(await current.where("emailFolded", "=", foldEmail(email)).executeTakeFirst());
    },
    /** Returns the members with these ids, removed ones included. */
    findEver: (ids: readonly string[]) => findEver(database, ids),
    /** Returns the number of owners of a team; of the whole server when `teamId` is null. */
    async countOwners(teamId: string | null): Promise<number> {
      const owners = current.where("teamId", "is not distinct from", teamId).where("role", "=", "owner");
      return (await owners.execute()).length;
    },
    async count(): Promise<number> {
      const count = sql<number>`count(*)`.as("count");
      const counted = kysely.selectFrom("members").select(count).where("removeTime", "is", null);
      return (await counted.executeTakeFirstOrThrow()).count;
    },
    /** Returns all members in order of creation. */
    async list(): Promise<readonly Member[]> {
      return (await current.orderBy("createTime").orderBy("id").execute()).map(fromRow);
    },
    /** Returns members of a team in order of creation. */
    page: (query: MemberQuery) => page(database, query),
  };
}

async function findEver({ kysely, dialect }: Database, ids: readonly string[]): Promise<readonly Member[]> {
  const wanted = sql<string>`${dialect.selectStrings(JSON.stringify(ids))}`;
  const rows = await kysely.selectFrom("members").selectAll().where("id", "in", wanted).execute();
  return rows.map(fromRow);
}

function removal({ kysely }: Database, member: Member, removeTime: number): Write {
  const update = kysely.updateTable("members").set({ removeTime });
  const query = update.where(isUnchanged(toRow(member))).where(keepsOwner(member, null));
  return createWrite("members", query.compile(), 1);
}

interface ReplacementOptions {
  readonly mayLeaveTeamWithoutOwner?: true;
}

function replacement(
  { kysely }: Database,
  before: Member,
  after: Member,
  { mayLeaveTeamWithoutOwner }: ReplacementOptions,
): Write {
  const { id, ...fields } = toRow(after);
  const isTaken = sql<boolean>`exists (select 1 from members as other
    where other.email_folded = ${fields.emailFolded} and other.remove_time is null and other.id <> ${id})`;
  const query = kysely
    .updateTable("members")
    .set(fields)
    .where(isUnchanged(toRow(before)))
    .$if(before.teamId === null || mayLeaveTeamWithoutOwner !== true, (members) =>
      members.where(keepsOwner(before, after)),
    )
    .where(sql<boolean>`not ${isTaken}`);
  return createWrite("members", query.compile(), 1);
}

/** True unless the change (null = removal) takes the last owner from the member's team or from the server. */
function keepsOwner({ id, teamId, role }: Member, after: Member | null) {
  if (role !== "owner" || (after?.role === "owner" && after.teamId === teamId)) return sql<boolean>`true`;
  return sql<boolean>`exists (select 1 from members as other
    where other.team_id is not distinct from ${teamId} and other.role = 'owner' and other.remove_time is null and other.id <> ${id})`;
}

async function page({ kysely }: Database, { teamId, after, limit }: MemberQuery): Promise<Member[]> {
  const rows = await kysely
    .selectFrom("members")
    .selectAll()
    .where("removeTime", "is", null)
    .where("teamId", "=", teamId)
    .$if(after !== null, (members) =>
      members.where(sql<boolean>`(create_time, id) > (${after?.createTime}, ${after?.id})`),
    )
    .orderBy("createTime")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

function toRow(member: Member): Row<"members"> {
  return { ...member, emailFolded: foldEmail(member.email), removeTime: null };
}

function fromOptionalRow(row: Row<"members"> | undefined): Member | null {
  return row === undefined ? null : fromRow(row);
}

function fromRow({ emailFolded: _, removeTime: __, ...member }: Row<"members">): Member {
  return member;
}
