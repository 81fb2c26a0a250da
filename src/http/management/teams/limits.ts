/** GET and PUT /auth/teams/{teamId}/limits, an extension: lists and updates the rate limits of a team on models. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import { noLimits } from "../../../core/limits.js";
import { allModels, eachEndUser, everyModel } from "../../../accounts/principals/team-limit.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { limitChangeSchema, presentTeamLimits, teamLimitsSchema, toLimitChange } from "./present-limits.js";
import { managementRoute } from "../../server/route.js";

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

const params = { teamId: "Id of a team that the management key may manage." };

/** Lists all limits of a team. */
export const listTeamLimits = managementRoute({
  method: "GET",
  path: "/auth/teams/:teamId/limits",
  acl: "ListTeams",
  docs: {
    operation: "listTeamLimits",
    tag: "Accounts",
    summary: "List the rate limits of a team",
    description:
      "An extension of Hearth. The limits for every model do not apply to a model with limits of its own. Those for all models " +
      "together, and for each end user, apply in addition.",
    params,
    answers: { 200: { description: "The limits of the team.", schema: listSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const limits = await accounts.teamLimits.list(params["teamId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof listSchema> = { limits: limits.map(presentTeamLimits) };
    ctx.body = answer;
  },
});

/** Updates the limits of a team on a model. */
export const updateTeamLimits = managementRoute({
  method: "PUT",
  path: "/auth/teams/:teamId/limits",
  acl: "UpdateTeam",
  forAllTeams: true,
  docs: {
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
  },
  async handle({ ctx, manager, body, params }, { accounts, models }) {
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
  },
});
