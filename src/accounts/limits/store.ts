import { everyModel, type TeamLimits, type TeamLimitStore } from "./team-limit.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import type { TeamLimitRow } from "../../store/schema.js";
import { asBefore } from "../../store/unchanged.js";
import { writeOf } from "../../store/writes.js";

/** The table of teams' limits. `findFor` runs on every request of a model: one or two look-ups by the primary key. */
export function createTeamLimitStore({ kysely }: Database): TeamLimitStore {
  type Asked = Readonly<Record<"teamId" | "model", string>>;
  const selectFor = prepare(kysely, ["teamId", "model"], ({ teamId, model }: Asked) =>
    kysely
      .selectFrom("team_limits")
      .selectAll()
      .where("team_id", "=", teamId)
      .where("model", "in", [model, everyModel]),
  );
  return {
    async findFor(teamId, model) {
      const { rows } = await selectFor({ teamId, model });
      const row = rows.find((one) => one.model === model) ?? rows[0];
      return row === undefined ? null : fromRow(row);
    },
    async list(teamId) {
      const rows = await kysely
        .selectFrom("team_limits")
        .selectAll()
        .where("team_id", "=", teamId)
        .orderBy((row) => row("model", "!=", everyModel))
        .orderBy("model")
        .execute();
      return rows.map(fromRow);
    },
    insertion(limits) {
      const query = kysely.insertInto("team_limits").values(toRow(limits));
      return writeOf("team_limits", query.onConflict((conflict) => conflict.doNothing()).compile(), 1);
    },
    replacement(before, after) {
      const { qps, qpm, tpm } = after;
      const query = kysely.updateTable("team_limits").set({ qps, qpm, tpm });
      return writeOf("team_limits", query.where(asBefore(toRow(before))).compile(), 1);
    },
    removal(limits) {
      const query = kysely.deleteFrom("team_limits").where(asBefore(toRow(limits)));
      return writeOf("team_limits", query.compile(), 1);
    },
  };
}

function toRow({ teamId, model, qps, qpm, tpm }: TeamLimits): TeamLimitRow {
  return { team_id: teamId, model, qps, qpm, tpm };
}

function fromRow({ team_id: teamId, model, qps, qpm, tpm }: TeamLimitRow): TeamLimits {
  return { teamId, model, qps, qpm, tpm };
}
