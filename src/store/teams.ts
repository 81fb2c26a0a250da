import type { Team, TeamStore } from "../core/team.js";
import { insertUnique } from "./conflict.js";
import type { Database } from "./database.js";
import type { TeamRow } from "./schema.js";

/** The table of teams. */
export function createTeamStore({ kysely }: Database): TeamStore {
  return {
    async insert(team) {
      await insertUnique("team", () => kysely.insertInto("teams").values(toRow(team)).execute());
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
