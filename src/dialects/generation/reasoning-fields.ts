/**
 * The fields by which clients say whether and how much a model reasons: OpenAI's effort, the variables of chat templates
 * that vLLM and SGLang take, and the forms of hosted services. Pure.
 */
import { z } from "zod";
import type { ReasoningEffort, ReasoningSettings } from "../../core/generation.js";
import { parseReasoningEffort, reasoningEffortField } from "./effort.js";
import { inBody, type FieldPath } from "./field-path.js";
import { boundedRecord, int32Max, optionalInteger } from "../request-fields.js";

const templateVariablesMax = 64;

const isOn = z.boolean().nullish();
const tokens = optionalInteger(-1, int32Max);

/** The members of `reasoning`. */
export const reasoningMembers = { enabled: isOn, effort: reasoningEffortField.nullish(), max_tokens: tokens };

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
    .object(reasoningMembers)
    .nullish()
    .describe("Whether and how much the model reasons, as a service before several hosts takes it."),
};

type ReasoningBody = z.infer<z.ZodObject<typeof reasoningFields>>;

/**
 * Reads the fields. Where one of them says that the model does not reason, it does not.
 * @param own the switch or the effort of the dialect's own field
 */
export function parseReasoning(
  fields: ReasoningBody,
  own: boolean | z.infer<typeof reasoningEffortField> | null = null,
): ReasoningSettings {
  const { chat_template_kwargs: variables, reasoning, thinking } = fields;
  const { type = null, budget_tokens: budget = null } = typeof thinking === "object" ? (thinking ?? {}) : {};
  const ownEffort = typeof own === "string" ? own : null;
  const stated = parseReasoningEffort(ownEffort ?? fields.reasoning_effort ?? reasoning?.effort);
  const switches: readonly unknown[] = [
    own,
    fields.enable_thinking,
    typeof thinking === "boolean" ? thinking : toSwitch(type),
    reasoning?.enabled,
    variables?.["enable_thinking"],
    variables?.["thinking"],
  ];
  const reasoningTokensMax = [fields.thinking_budget, budget, reasoning?.max_tokens].find(
    (each) => each != null && each >= 0,
  );
  const reasoningEffort = chooseEffort(stated, switches);
  return {
    reasoningEffort,
    reasoningTokensMax: reasoningTokensMax ?? undefined,
    templateVariables: variables == null ? undefined : withSwitchesOff(variables, reasoningEffort),
  };
}

/** Returns the variables, which switch no reasoning on where another field has switched it off. */
function withSwitchesOff(
  variables: Readonly<Record<string, unknown>>,
  effort: ReasoningEffort,
): Readonly<Record<string, unknown>> {
  if (effort !== "none") return variables;
  const isSwitch = (name: string): boolean => name === "enable_thinking" || name === "thinking";
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, isSwitch(name) ? false : value]),
  );
}

/** Why the fields are not applied to a raw prompt. */
export const rawHasNoReasoning = "a raw prompt has no chat template";

/** Returns a sentence for each of the fields that is stated with an answer that has no reasoning. @param why the rest of the sentence */
export function warnOfReasoning(
  fields: ReasoningBody,
  why: string,
  toPath: FieldPath = inBody,
): readonly string[] {
  const names = Object.keys(reasoningFields) as readonly (keyof ReasoningBody)[];
  return names.flatMap((name) => (fields[name] == null ? [] : [`${toPath(name)} is not applied: ${why}`]));
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
