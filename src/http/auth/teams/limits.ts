/** GET and PUT /auth/teams/{teamId}/limits: tells and changes what a team may ask of models; an extension. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { noLimits } from "../../../core/limits.js";
import { everyModel } from "../../../accounts/limits/team-limit.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import { masked } from "../../management/field-mask.js";
import { read } from "../../management/fields.js";
import {
  limitFields,
  presentTeamLimits,
  settableLimits,
  teamLimitsSchema,
} from "../../management/team-limits.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const changeSchema = z
  .object({
    model: z
      .string()
      .nullish()
      .describe(
        `Id or alias of a model; \`${everyModel}\` where it is not set: each that has no limits of its own.`,
      ),
    limits: settableLimits.nullish(),
    fieldMask: z.string().nullish().describe("As for keys."),
  })
  .meta({
    id: "TeamLimitChange",
    description: "What of a team's limits is to change; without a mask, those that are set.",
  });

const listSchema = shape({
  limits: shapes(teamLimitsSchema).describe("Those of every model first."),
}).meta({ id: "TeamLimitList" });

/** Tells all limits of a team. */
export function listTeamLimits({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    const limits = await accounts.teamLimits.list(params["teamId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof listSchema> = { limits: limits.map(presentTeamLimits) };
    ctx.body = answer;
  };
}

/** Changes the limits of a team on a model. */
export function updateTeamLimits({ accounts, models }: Pick<HttpDeps, "accounts" | "models">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const { model, limits, fieldMask } = read(changeSchema, body);
    const change = masked(limitFields(limits ?? {}), noLimits, fieldMask);
    authoriseManager(manager, route.endpointAcl);
    const named = model ?? everyModel;
    // What is counted is counted by the id.
    const id = models.find(named)?.manifest.id ?? named;
    const teamId = params["teamId"] ?? "";
    ctx.body = presentTeamLimits(await accounts.teamLimits.update(teamId, id, change, actorOf(manager)));
  };
}

const params = { teamId: "Id of a team that the management key is for." };

export const teamLimitListDocs: RouteDocs = {
  operation: "listTeamLimits",
  tag: "Accounts",
  summary: "List what a team may ask of models",
  description: "Hearth's own. A model that has limits of its own is not held to those of every model.",
  params,
  answers: { 200: { description: "The limits of the team.", schema: listSchema } },
};

export const updateTeamLimitsDocs: RouteDocs = {
  operation: "updateTeamLimits",
  tag: "Accounts",
  summary: "Change what a team may ask of models",
  description:
    "Hearth's own. They hold from the next request on, together for all keys of the team; each model is counted by itself. A " +
    "management key that is for one team changes none.",
  params,
  body: changeSchema,
  example: { model: "*", limits: { qpm: 600, tpm: "100000" } },
  answers: { 200: { description: "The limits on that model.", schema: teamLimitsSchema } },
  errors: ["conflict"],
};
