/** API keys of all teams, as commands of the operator list and create them. */
import { z } from "zod";
import type { Principal } from "../../../accounts/principals/api-key.js";
import { toActor } from "../../../accounts/visibility.js";
import { parseFields, parseFieldsInOrder } from "../../../dialects/management/fields.js";
import { checkSettings } from "../../../accounts/keys/setting-rules.js";
import type { OperatorRoute } from "../../server/route.js";
import { presentKey } from "../keys/present-key.js";
import { newKeyRequests, toKeyChange } from "../keys/setting-fields.js";

const requestSchema = z.object({ ...newKeyRequests, name: z.string(), teamId: z.string().nullish() });

const querySchema = z.object({ teamId: z.string().nullish() });

/** Creates a key with the usual settings; without a team, of the first one. */
export const createOperatorKey: OperatorRoute = {
  method: "POST",
  path: "/operator/api-keys",
  async handle({ ctx, manager, body }, { accounts, clock }) {
    const request = parseFieldsInOrder(requestSchema, body, (fields) =>
      checkSettings(toKeyChange(fields), clock.now()),
    );
    const created = await accounts.keys.create(
      { ...toKeyChange(request), name: request.name, teamId: request.teamId ?? null },
      toActor(manager),
    );
    ctx.body = { ...presentWithTeam(created), apiKey: created.secret };
  },
};

/** Lists the keys of all teams, or of one, in order of creation. */
export const listOperatorKeys: OperatorRoute = {
  method: "GET",
  path: "/operator/api-keys",
  async handle({ ctx }, { accounts }) {
    const { teamId = null } = parseFields(querySchema, ctx.query);
    const all = await accounts.keys.list();
    ctx.body = {
      apiKeys: all.filter(({ team }) => teamId === null || team.id === teamId).map(presentWithTeam),
    };
  },
};

export type OperatorKey = ReturnType<typeof presentWithTeam>;

/** Presents a key with what the operator sees of its team. */
export function presentWithTeam({ key, team }: Principal) {
  return { ...presentKey(key), teamName: team.name, teamBlocked: team.blocked };
}
