/** Limits of teams in answers and requests of the management API. */
import { z } from "zod";
import type { LimitChange } from "../../../accounts/limits/team-limits.js";
import {
  allModels,
  eachEndUser,
  everyModel,
  type TeamLimits,
} from "../../../accounts/principals/team-limit.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { definedFields, wholeNumber } from "../../../dialects/management/fields.js";

const limit = (what: string) => z.number().min(1).meta({ type: "integer", description: what });

export const teamLimitsSchema = responseObject({
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

/** Presents limits. */
export function presentTeamLimits({ model, qps, qpm, tpm }: TeamLimits): z.infer<typeof teamLimitsSchema> {
  return {
    model,
    ...(qps === null ? {} : { qps }),
    ...(qpm === null ? {} : { qpm }),
    ...(tpm === null ? {} : { tpm: String(tpm) }),
  };
}

export const limitChangeSchema = z.object({
  qps: wholeNumber("Requests per second.").nullish(),
  qpm: wholeNumber("Requests per minute.").nullish(),
  tpm: wholeNumber("Tokens per minute.").nullish(),
});

/** Converts the fields that are set to a change of limits. */
export function toLimitChange({ qps, qpm, tpm }: z.infer<typeof limitChangeSchema>): LimitChange {
  return definedFields({
    qps: qps == null ? null : Number(qps),
    qpm: qpm == null ? null : Number(qpm),
    tpm: tpm == null ? null : Number(tpm),
  });
}
