/** The reasoning effort field that OpenAI's and xAI's endpoints share. Pure. */
import { z } from "zod";
import type { ReasoningEffort } from "../../core/generation.js";

export const reasoningEffortField = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** Reads the reasoning effort; if absent, the model's default applies. */
export function parseReasoningEffort(
  value: z.infer<typeof reasoningEffortField> | null | undefined,
): ReasoningEffort {
  return value == null ? "default" : efforts[value];
}

const efforts: Readonly<Record<z.infer<typeof reasoningEffortField>, ReasoningEffort>> = {
  none: "none",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
