import { allModels, eachEndUser, everyModel, limitsOn, type TeamLimits } from "../principals/team-limit.js";
import type { Database } from "../../store/database.js";
import { prepare } from "../../store/prepared.js";
import { isUnchanged } from "../../store/unchanged.js";
import { createWrite, type Write } from "../../store/writes.js";

export type TeamLimitStore = ReturnType<typeof createTeamLimitStore>;

/** Creates the queries of the table of team limits. */
export function createTeamLimitStore({ kysely }: Database) {
  type Parameters = Readonly<Record<"teamId" | "model", string>>;
  const selectFor = prepare(kysely, ["teamId", "model"], ({ teamId, model }: Parameters) =>
    kysely
      .selectFrom("teamLimits")
      .selectAll()
      .where("teamId", "=", teamId)
      .where("model", "in", [model, everyModel, allModels, eachEndUser]),
  );
  return {
    /**
     * Returns the limits that hold for a request of the team on the model: at most four look-ups by the primary key. Where they were read
     * with the key of the request, they are not looked up.
     */
    async findFor(teamId: string, model: string): Promise<readonly TeamLimits[]> {
      const { rows } = await selectFor({ teamId, model });
      return limitsOn(model, rows);
    },
    /** Returns the team's limits in order of model, those on every model first. */
    list: (teamId: string) => list(kysely, teamId),
    /** The commit fails with `conflict` when the team has limits on that model already. */
    insertion(limits: TeamLimits): Write {
      const query = kysely.insertInto("teamLimits").values(limits);
      return createWrite("teamLimits", query.onConflict((conflict) => conflict.doNothing()).compile(), 1);
    },
    /** The commit fails with `conflict` when the stored limits differ from `before`. */
    replacement(before: TeamLimits, after: TeamLimits): Write {
      const { qps, qpm, tpm } = after;
      const query = kysely.updateTable("teamLimits").set({ qps, qpm, tpm });
      return createWrite("teamLimits", query.where(isUnchanged(before)).compile(), 1);
    },
    /** The commit fails with `conflict` when the stored limits differ from `limits`. */
    removal(limits: TeamLimits): Write {
      const query = kysely.deleteFrom("teamLimits").where(isUnchanged(limits));
      return createWrite("teamLimits", query.compile(), 1);
    },
  };
}

async function list(kysely: Database["kysely"], teamId: string): Promise<readonly TeamLimits[]> {
  return kysely
    .selectFrom("teamLimits")
    .selectAll()
    .where("teamId", "=", teamId)
    .orderBy((row) => row("model", "!=", everyModel))
    .orderBy("model")
    .execute();
}
