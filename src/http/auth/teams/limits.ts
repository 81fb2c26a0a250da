/** GET and PUT /auth/teams/{teamId}/limits, an extension: lists and updates the rate limits of a team on models. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { noLimits } from "../../../core/limits.js";
import { everyModel } from "../../../accounts/limits/team-limit.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import type { HttpDeps } from "../../deps.js";
import { applyFieldMask } from "../../management/field-mask.js";
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
        `Id or alias of a model; the default \`${everyModel}\` means every model without limits of its own.`,
      ),
    limits: limitChangeSchema.nullish(),
    fieldMask: z
      .string()
      .nullish()
      .describe("Comma-separated names of the fields to change. A named field that is not set is cleared."),
  })
  .meta({
    id: "UpdateTeamLimitsRequest",
    description: "The limits to change; without a mask, the limits that are set.",
  });

const listSchema = responseObject({
  limits: responseArray(teamLimitsSchema).describe("The limits for every model first."),
}).meta({ id: "TeamLimitsList" });

/** Lists all limits of a team. */
export function listTeamLimits({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    const limits = await accounts.teamLimits.list(params["teamId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof listSchema> = { limits: limits.map(presentTeamLimits) };
    ctx.body = answer;
  };
}

/** Updates the limits of a team on a model. */
export function updateTeamLimits({ accounts, models }: Pick<HttpDeps, "accounts" | "models">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const { model, limits, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toLimitChange(limits ?? {}), noLimits, fieldMask);
    authoriseManager(manager, route.endpointAcl);
    const named = model ?? everyModel;
    // Requests are counted by model id.
    const id = models.find(named)?.manifest.id ?? named;
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
    "An extension of Hearth. The limits for every model do not apply to a model with limits of its own.",
  params,
  answers: { 200: { description: "The limits of the team.", schema: listSchema } },
};

export const updateTeamLimitsDocs: RouteDocs = {
  operation: "updateTeamLimits",
  tag: "Accounts",
  summary: "Update the rate limits of a team",
  description:
    "An extension of Hearth. Takes effect with the next request. All keys of the team share the limits; each model is counted " +
    "separately. Requires a management key for all teams.",
  params,
  body: requestSchema,
  example: { model: "*", limits: { qpm: 600, tpm: "100000" } },
  answers: { 200: { description: "The limits on that model.", schema: teamLimitsSchema } },
  errors: ["conflict"],
};
