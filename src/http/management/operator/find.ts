/** Finds what a command of the operator names: by an id, the start of one, or another name. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { presentMember } from "../../server/present-member.js";
import type { OperatorRoute } from "../../server/route.js";
import { presentTeam } from "../teams/present-team.js";
import { presentWithTeam } from "./keys.js";

/** A key is also known by its redacted form, a team by its name, a member by their e-mail address. */
const querySchema = z.object({
  key: z.string().nullish(),
  team: z.string().nullish(),
  member: z.string().nullish(),
});

export const findNamed: OperatorRoute = {
  method: "GET",
  path: "/operator/find",
  async handle({ ctx, manager }, { accounts }) {
    const named = parseFields(querySchema, ctx.query);
    if (named.key != null) {
      const key = await accounts.keys.resolve(named.key);
      ctx.body = presentWithTeam({ key, team: await accounts.teams.find(key.teamId, toActor(manager)) });
    } else if (named.team != null) ctx.body = presentTeam(await accounts.teams.resolve(named.team));
    else ctx.body = presentMember(await accounts.members.resolve(named.member ?? ""));
  },
};
