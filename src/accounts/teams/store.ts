import { sql } from "kysely";
import { foldName } from "../names.js";
import type { Team } from "../principals/team.js";
import { insertUnique } from "../../store/conflict.js";
import type { Database } from "../../store/database.js";
import type { Row } from "../../store/tables.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";

export type TeamStore = ReturnType<typeof createTeamStore>;

/** Creates the queries of the table of teams. */
export function createTeamStore({ kysely }: Database) {
  const insertRow = (team: Team) =>
    kysely.insertInto("teams").values({ ...team, nameFolded: foldName(team.name) });
  return {
    /** @throws HearthError `conflict` when the id exists already. */
    async insert(team: Team): Promise<void> {
      await insertUnique("team", () => insertRow(team).execute());
    },
    /** The commit fails with `conflict` when another team has the name. */
    insertion(team: Team): Write {
      return createWrite(
        "teams",
        insertRow(team)
          .onConflict((clash) => clash.doNothing())
          .compile(),
        1,
      );
    },
    /**
     * Replaces `before` by `after`. The commit fails with `conflict` when the stored team differs from `before`, and when another team has
     * the name.
     */
    replacement: (before: Team, after: Team) => replacement(kysely, before, after),
    /** Returns the ids of teams that were stored before names had a folded form. */
    async idsWithoutFoldedName(): Promise<readonly string[]> {
      const rows = await kysely.selectFrom("teams").select("id").where("nameFolded", "is", null).execute();
      return rows.map(({ id }) => id);
    },
    /** Deletes what is kept of a team's requests and answers. */
    bodiesRemoval(id: string): Write {
      const query = kysely.deleteFrom("requestBodies").where("teamId", "=", id);
      return createWrite("requestBodies", query.compile());
    },
    async find(id: string): Promise<Team | null> {
      const row = await kysely.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns all teams in order of creation. */
    async list(): Promise<readonly Team[]> {
      const rows = await kysely.selectFrom("teams").selectAll().orderBy("createTime").orderBy("id").execute();
      return rows.map(fromRow);
    },
  };
}

function replacement(kysely: Database["kysely"], before: Team, after: Team): Write {
  // The id is left out: if it were set, SQLite would look for rows that refer to it.
  const { id, ...fields } = after;
  const folded = foldName(after.name);
  const isTaken = sql<boolean>`exists (select 1 from teams as other where other.name_folded = ${folded} and other.id <> ${id})`;
  const query = kysely
    .updateTable("teams")
    .set({ ...fields, nameFolded: folded })
    .where("id", "=", id)
    .where(isUnchanged(before))
    .where(sql<boolean>`not ${isTaken}`);
  return createWrite("teams", query.compile(), 1);
}

function fromRow({ nameFolded: _, ...team }: Row<"teams">): Team {
  return team;
}
