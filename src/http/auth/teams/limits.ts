/** GET and PUT /auth/teams/{teamId}/limits, an extension: lists and updates the rate limits of a team on models. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import { noLimits } from "../../../core/limits.js";
import { allModels, eachEndUser, everyModel } from "../../../accounts/limits/team-limit.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import type { HttpDeps } from "../../deps.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { applyFieldMask, fieldMaskField } from "../../management/field-mask.js";
import { parseFields } from "../../management/fields.js";
import {
  toLimitChange,
  presentTeamLimits,
  limitChangeSchema,
  teamLimitsSchema,
} from "../../management/team-limits.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const requestSchema = z
  .object({
    model: z
      .string()
      .nullish()
      .describe(
        `Id or alias of a model; the default \`${everyModel}\` means every model without limits of its own, \`${allModels}\` all models together, \`${eachEndUser}\` each end user, whom requests name in \`user\`, with all models together.`,
      ),
    limits: limitChangeSchema.nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateTeamLimitsRequest",
    description: "The limits to change; without a mask, the limits that are set.",
  });

const exampleRequest = { model: "*", limits: { qpm: 600, tpm: "100000" } };

/** The model in the place where it would be ignored, so that the limits would be those on every model. */
const misplacedModel = z.object({
  limits: z.object({ model: z.unknown().refine((value) => value != null) }),
});

const listSchema = responseObject({
  limits: responseArray(teamLimitsSchema).describe("The limits for every model first."),
}).meta({ id: "TeamLimitsList" });

/** Lists all limits of a team. */
export function listTeamLimits({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params }) => {
    const limits = await accounts.teamLimits.list(params["teamId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof listSchema> = { limits: limits.map(presentTeamLimits) };
    ctx.body = answer;
  };
}

/** Updates the limits of a team on a model. */
export function updateTeamLimits({ accounts, models }: Pick<HttpDeps, "accounts" | "models">): Handler {
  return async ({ ctx, manager, body, params }) => {
    if (misplacedModel.safeParse(body).success)
      throw invalidValue("limits.model", `belongs beside limits, as in ${JSON.stringify(exampleRequest)}`);
    const { model, limits, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toLimitChange(limits ?? {}), noLimits, fieldMask);
    const named = model ?? everyModel;
    // Requests are counted by model id.
    const id =
      named === allModels || named === eachEndUser ? named : (models.find(named)?.manifest.id ?? named);
    const teamId = params["teamId"] ?? "";
    ctx.body = presentTeamLimits(await accounts.teamLimits.update(teamId, id, change, actorOf(manager)));
  };
}

const params = { teamId: "Id of a team that the management key may manage." };

export const listTeamLimitsDocs: RouteDocs = {
  operation: "listTeamLimits",
  tag: "Accounts",
  summary: "List the rate limits of a team",
  description:
    "An extension of Hearth. The limits for every model do not apply to a model with limits of its own. Those for all models " +
    "together, and for each end user, apply in addition.",
  params,
  answers: { 200: { description: "The limits of the team.", schema: listSchema } },
};

export const updateTeamLimitsDocs: RouteDocs = {
  operation: "updateTeamLimits",
  tag: "Accounts",
  summary: "Update the rate limits of a team",
  description:
    "An extension of Hearth. Takes effect with the next request. All keys of the team share the limits; each model is counted " +
    `separately, except for the limits on \`${allModels}\`; with \`${eachEndUser}\` each end user is. Requires a management key for all teams.`,
  params,
  body: requestSchema,
  example: exampleRequest,
  answers: { 200: { description: "The limits on that model.", schema: teamLimitsSchema } },
  errors: ["conflict"],
};
