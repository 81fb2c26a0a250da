/** Teams, as commands of the operator create them. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { OperatorRoute } from "../../server/route.js";
import { presentTeam } from "../teams/present-team.js";

const requestSchema = z.object({ name: z.string(), billing: z.enum(["prepaid", "unmetered"]) });

export const createOperatorTeam: OperatorRoute = {
  method: "POST",
  path: "/operator/teams",
  async handle({ ctx, manager, body }, { accounts }) {
    ctx.body = presentTeam(await accounts.teams.create(parseFields(requestSchema, body), toActor(manager)));
  },
};
