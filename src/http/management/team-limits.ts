/** Limits as the management plane tells them, and as they are wished for. */
import { z } from "zod";
import type { LimitChange } from "../../accounts/limits/team-limits.js";
import { everyModel, type TeamLimits } from "../../accounts/limits/team-limit.js";
import { shape } from "../../dialects/shape.js";
import { set, whole } from "./fields.js";

const limit = (what: string) => z.number().min(1).meta({ type: "integer", description: what });

export const teamLimitsSchema = shape({
  model: z.string().describe(`Id of the model, or \`${everyModel}\`: each that has no limits of its own.`),
  qps: limit("Requests per second.").optional(),
  qpm: limit("Requests per minute.").optional(),
  tpm: z.string().optional().describe("Tokens per minute: a whole number, as a text."),
}).meta({
  id: "TeamLimits",
  description: "What a team may ask of a model; what is not there is not limited.",
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

export const settableLimits = z.object({
  qps: whole("Requests per second.").nullish(),
  qpm: whole("Requests per minute.").nullish(),
  tpm: whole("Tokens per minute.").nullish(),
});

/** What is set, in the accounts' own terms. */
export function limitFields({ qps, qpm, tpm }: z.infer<typeof settableLimits>): LimitChange {
  return set({
    qps: qps == null ? null : Number(qps),
    qpm: qpm == null ? null : Number(qpm),
    tpm: tpm == null ? null : Number(tpm),
  });
}
