import { sql } from "kysely";
import { foldedEmail, type Member, type MemberQuery, type MemberStore } from "./member.js";
import type { Database } from "../../store/database.js";
import type { MemberRow } from "../../store/schema.js";
import { asBefore } from "../../store/unchanged.js";
import { writeOf } from "../../store/writes.js";

/** The table of members. Rows are never deleted: the audit log tells of whoever was one. */
export function createMemberStore(database: Database): MemberStore {
  const { kysely } = database;
  const present = kysely.selectFrom("members").selectAll().where("remove_time", "is", null);
  return {
    insertion(member) {
      const insert = kysely.insertInto("members").values(toRow(member));
      return writeOf("members", insert.onConflict((clash) => clash.doNothing()).compile(), 1);
    },
    replacement: (before, after) => replacement(database, before, after),
    removal(member, removeTime) {
      const update = kysely.updateTable("members").set({ remove_time: removeTime });
      const query = update.where(asBefore(toRow(member))).where(leavesOwner(member, null));
      return writeOf("members", query.compile(), 1);
    },
    find: async (id) => nullable(await present.where("id", "=", id).executeTakeFirst()),
    async findByEmail(email) {
      return nullable(await present.where("email_folded", "=", foldedEmail(email)).executeTakeFirst());
    },
    async known(ids) {
      const wanted = sql<string>`(select value from json_each(${JSON.stringify(ids)}))`;
      const rows = await kysely.selectFrom("members").selectAll().where("id", "in", wanted).execute();
      return rows.map(fromRow);
    },
    async countOwners(teamId) {
      const owners = present.where("team_id", "is", teamId).where("role", "=", "owner");
      return (await owners.execute()).length;
    },
    async count() {
      const count = sql<number>`count(*)`.as("count");
      const counted = kysely.selectFrom("members").select(count).where("remove_time", "is", null);
      return (await counted.executeTakeFirstOrThrow()).count;
    },
    list: async () => (await present.orderBy("create_time").orderBy("id").execute()).map(fromRow),
    page: (query) => page(database, query),
  };
}

function replacement({ kysely }: Database, before: Member, after: Member) {
  const { id, ...changed } = toRow(after);
  const isTaken = sql<boolean>`exists (select 1 from members as other
    where other.email_folded = ${changed.email_folded} and other.remove_time is null and other.id <> ${id})`;
  const query = kysely
    .updateTable("members")
    .set(changed)
    .where(asBefore(toRow(before)))
    .where(leavesOwner(before, after))
    .where(sql<boolean>`not ${isTaken}`);
  return writeOf("members", query.compile(), 1);
}

/** Whether whoever has an owner has one still, when the member has become another, or none. */
function leavesOwner({ id, teamId, role }: Member, after: Member | null) {
  if (role !== "owner" || after?.role === "owner") return sql<boolean>`true`;
  return sql<boolean>`exists (select 1 from members as other
    where other.team_id is ${teamId} and other.role = 'owner' and other.remove_time is null and other.id <> ${id})`;
}

async function page({ kysely }: Database, { teamId, after, limit }: MemberQuery): Promise<Member[]> {
  const rows = await kysely
    .selectFrom("members")
    .selectAll()
    .where("remove_time", "is", null)
    .where("team_id", "=", teamId)
    .$if(after !== null, (members) =>
      members.where(sql<boolean>`(create_time, id) > (${after?.createTime}, ${after?.id})`),
    )
    .orderBy("create_time")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

function toRow(member: Member): MemberRow {
  return {
    id: member.id,
    team_id: member.teamId,
    email: member.email,
    email_folded: foldedEmail(member.email),
    given_name: member.givenName,
    family_name: member.familyName,
    role: member.role,
    create_time: member.createTime,
    remove_time: null,
  };
}

function nullable(row: MemberRow | undefined): Member | null {
  return row === undefined ? null : fromRow(row);
}

function fromRow(row: MemberRow): Member {
  return {
    id: row.id,
    teamId: row.team_id,
    email: row.email,
    givenName: row.given_name,
    familyName: row.family_name,
    role: row.role,
    createTime: row.create_time,
  };
}
