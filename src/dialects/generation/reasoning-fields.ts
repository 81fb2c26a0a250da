/**
 * The fields by which clients of chat completions say whether and how much a model reasons: OpenAI's effort, the variables of chat templates
 * that vLLM and SGLang take, and the forms of hosted services. Pure.
 */
import { z } from "zod";
import type { GenerationRequest, ReasoningEffort } from "../../core/generation.js";
import { parseReasoningEffort, reasoningEffortField } from "./effort.js";
import { boundedRecord, int32Max, optionalInteger } from "../request-fields.js";

const templateVariablesMax = 64;

const isOn = z.boolean().nullish();
const tokens = optionalInteger(-1, int32Max);

export const reasoningFields = {
  reasoning_effort: reasoningEffortField
    .nullish()
    .describe("How much a reasoning model reasons. Default: decided by the model."),
  chat_template_kwargs: boundedRecord(z.record(z.string(), z.unknown()), templateVariablesMax, "variables")
    .nullish()
    .describe("Variables of the model's chat template, such as `enable_thinking`."),
  enable_thinking: isOn.describe("Whether the model reasons."),
  thinking: z
    .union([
      z.boolean(),
      z.object({
        type: z.enum(["enabled", "disabled", "adaptive", "auto"]).nullish(),
        budget_tokens: tokens,
      }),
    ])
    .nullish()
    .describe("Whether the model reasons, and for how many tokens."),
  thinking_budget: tokens.describe("Maximum tokens of the reasoning; -1: no limit."),
  reasoning: z
    .object({ enabled: isOn, effort: reasoningEffortField.nullish(), max_tokens: tokens })
    .nullish()
    .describe("Whether and how much the model reasons, as a service before several hosts takes it."),
};

type ReasoningBody = z.infer<z.ZodObject<typeof reasoningFields>>;

type ReasoningSettings = Pick<
  GenerationRequest,
  "reasoningEffort" | "reasoningTokensMax" | "templateVariables"
>;

/** Reads the fields. Where one of them says that the model does not reason, it does not. */
export function parseReasoning(fields: ReasoningBody): ReasoningSettings {
  const { chat_template_kwargs: variables, reasoning, thinking } = fields;
  const { type = null, budget_tokens: budget = null } = typeof thinking === "object" ? (thinking ?? {}) : {};
  const stated = parseReasoningEffort(fields.reasoning_effort ?? reasoning?.effort);
  const switches: readonly unknown[] = [
    fields.enable_thinking,
    typeof thinking === "boolean" ? thinking : toSwitch(type),
    reasoning?.enabled,
    variables?.["enable_thinking"],
    variables?.["thinking"],
  ];
  const reasoningTokensMax = [fields.thinking_budget, budget, reasoning?.max_tokens].find(
    (each) => each != null && each >= 0,
  );
  return {
    reasoningEffort: chooseEffort(stated, switches),
    reasoningTokensMax: reasoningTokensMax ?? undefined,
    templateVariables: variables ?? undefined,
  };
}

/** A model that is asked to reason, and not how much, gets the middle effort, because some reason only when they are asked to. */
function chooseEffort(stated: ReasoningEffort, switches: readonly unknown[]): ReasoningEffort {
  if (switches.includes(false)) return "none";
  return stated === "default" && switches.includes(true) ? "medium" : stated;
}

function toSwitch(type: "enabled" | "disabled" | "adaptive" | "auto" | null): boolean | null {
  if (type === "enabled") return true;
  return type === "disabled" ? false : null;
}
