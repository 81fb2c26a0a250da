import type { Team, TeamStore } from "./team.js";
import { insertUnique } from "../../store/conflict.js";
import type { Database } from "../../store/database.js";
import type { TeamRow } from "../../store/schema.js";
import { asBefore } from "../../store/unchanged.js";
import { writeOf } from "../../store/writes.js";

/** The table of teams. */
export function createTeamStore({ kysely }: Database): TeamStore {
  const insertRow = (team: Team) => kysely.insertInto("teams").values(toRow(team));
  return {
    async insert(team) {
      await insertUnique("team", () => insertRow(team).execute());
    },
    insertion: (team) => writeOf("teams", insertRow(team).compile()),
    replacement(before, after) {
      // Were the id set, too, SQLite would look for rows that refer to it.
      const { id, ...changed } = toRow(after);
      const query = kysely.updateTable("teams").set(changed).where("id", "=", id);
      return writeOf("teams", query.where(asBefore(toRow(before))).compile(), 1);
    },
    async find(id) {
      const row = await kysely.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    async list() {
      const rows = await kysely
        .selectFrom("teams")
        .selectAll()
        .orderBy("create_time")
        .orderBy("id")
        .execute();
      return rows.map(fromRow);
    },
  };
}

function toRow(team: Team): TeamRow {
  const { id, name, billing, weight, createTime } = team;
  return { id, name, billing, blocked: Number(team.blocked), weight, create_time: createTime };
}

function fromRow(row: TeamRow): Team {
  const { id, name, billing, weight } = row;
  return { id, name, billing, weight, blocked: row.blocked === 1, createTime: row.create_time };
}
