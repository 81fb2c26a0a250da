/** GET and PUT /auth/teams/{teamId}/limits, an extension: lists and updates the rate limits of a team on models. */
import { z } from "zod";
import type { LimitChange } from "../../../accounts/limits/team-limits.js";
import { toActor } from "../../../accounts/visibility.js";
import { noLimits } from "../../../core/limits.js";
import {
  allModels,
  eachEndUser,
  everyModel,
  type TeamLimits,
} from "../../../accounts/principals/team-limit.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import { parseFields, definedFields, wholeNumber } from "../../../dialects/management/fields.js";
import { accountRoute } from "../../server/route.js";

const limit = (what: string) => z.number().min(1).meta({ type: "integer", description: what });

const teamLimitsSchema = responseObject({
  model: z
    .string()
    .describe(
      `Id of the model; \`${everyModel}\` for every model without limits of its own; \`${allModels}\` for all models together; \`${eachEndUser}\` for each end user of the team.`,
    ),
  qps: limit("Requests per second.").optional(),
  qpm: limit("Requests per minute.").optional(),
  tpm: z.string().optional().describe("Tokens per minute: a whole number, as a string."),
}).meta({
  id: "TeamLimits",
  description: "Limits of a team on a model; an absent field means no limit.",
});

export type WireTeamLimits = z.infer<typeof teamLimitsSchema>;

const limitChangeSchema = z.object({
  qps: wholeNumber("Requests per second.").nullish(),
  qpm: wholeNumber("Requests per minute.").nullish(),
  tpm: wholeNumber("Tokens per minute.").nullish(),
});

const requestSchema = z
  .object({
    model: z
      .string()
      .nullish()
      .describe(
        `Id or alias of a model; the default \`${everyModel}\` means every model without limits of its own, \`${allModels}\` all models together, \`${eachEndUser}\` each end user (the value of \`user\`) with all models together.`,
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
export const listTeamLimits = accountRoute({
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
    const limits = await accounts.teamLimits.list(params["teamId"] ?? "", toActor(manager));
    const answer: z.infer<typeof listSchema> = { limits: limits.map(presentTeamLimits) };
    ctx.body = answer;
  },
});

/** Updates the limits of a team on a model. */
export const updateTeamLimits = accountRoute({
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
  async handle({ ctx, manager, body, params }, { accounts, readModels }) {
    if (misplacedModel.safeParse(body).success)
      throw invalidValue("limits.model", `belongs beside limits, as in ${JSON.stringify(exampleRequest)}`);
    const { model, limits, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toLimitChange(limits ?? {}), noLimits, fieldMask);
    const named = model ?? everyModel;
    // Requests are counted by model id.
    const isModel = ![everyModel, allModels, eachEndUser].includes(named);
    const id = isModel ? ((await readModels()).find(named)?.manifest.id ?? named) : named;
    const teamId = params["teamId"] ?? "";
    ctx.body = presentTeamLimits(await accounts.teamLimits.update(teamId, id, change, toActor(manager)));
  },
});

/** Presents limits. */
function presentTeamLimits({ model, qps, qpm, tpm }: TeamLimits): WireTeamLimits {
  return {
    model,
    qps: qps ?? undefined,
    qpm: qpm ?? undefined,
    tpm: tpm?.toString(),
  };
}

/** Converts the fields that are set to a change of limits. */
function toLimitChange({ qps, qpm, tpm }: z.infer<typeof limitChangeSchema>): LimitChange {
  return definedFields({
    qps: qps == null ? null : Number(qps),
    qpm: qpm == null ? null : Number(qpm),
    tpm: tpm == null ? null : Number(tpm),
  });
}
