/** Parses and encodes `context_management` of a messages request. Pure. */
import { z } from "zod";
import type { AppliedEdit, ContextEdit } from "../../core/prompt/context-edit.js";
import { invalidValue, unsupported } from "../field-error.js";
import { boundedArray, int32Max, requiredInteger } from "../request-fields.js";
import { countField, responseArray, responseObject } from "../response-fields.js";

const editsMax = 16;
const toolNamesMax = 1_000;
/** Anthropic's defaults. */
const triggerTokens = 100_000;
const keptToolUses = 3;
const keptThinkingTurns = 1;

const count = requiredInteger(0, int32Max);
const toolNames = boundedArray(z.string(), toolNamesMax);

const clearToolUses = z.object({
  type: z.literal("clear_tool_uses_20250919"),
  trigger: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("input_tokens"), value: count }),
      z.object({ type: z.literal("tool_uses"), value: count }),
    ])
    .nullish()
    .describe(`Default: ${triggerTokens} input tokens.`),
  keep: z
    .object({ type: z.literal("tool_uses"), value: count })
    .nullish()
    .describe(`Default: ${keptToolUses} tool uses.`),
  clear_at_least: z.object({ type: z.literal("input_tokens"), value: count }).nullish(),
  exclude_tools: toolNames.nullish(),
  clear_tool_inputs: z.union([z.boolean(), toolNames]).nullish(),
});
const clearThinking = z.object({
  type: z.literal("clear_thinking_20251015"),
  keep: z
    .union([
      z.literal("all"),
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("thinking_turns"), value: requiredInteger(1, int32Max) }),
        z.object({ type: z.literal("all") }),
      ]),
    ])
    .nullish()
    .describe(`Default: ${keptThinkingTurns} turn.`),
});

/** Edits of all other types are rejected by their type. */
const edit = z.preprocess(
  (value) => (isOther(value) ? { type: "other", requestedType: value.type } : value),
  z.discriminatedUnion("type", [
    clearToolUses,
    clearThinking,
    z.object({ type: z.literal("other"), requestedType: z.string() }),
  ]),
);

export const contextManagementField = z
  .object({ edits: boundedArray(edit, editsMax).nullish() })
  .nullish()
  .describe("Edits that make a long prompt shorter before it is answered.");

type ContextManagementBody = z.infer<typeof contextManagementField>;

/**
 * Returns the edits; null: the request has no such field.
 * @throws HearthError `invalid_value` that names an edit of an unknown type, or one that is not in its place.
 */
export function parseContextEdits(body: ContextManagementBody): readonly ContextEdit[] | null {
  if (body == null) return null;
  return (body.edits ?? []).map((each, index): ContextEdit => {
    const param = `context_management.edits.${index}`;
    if (each.type === "other")
      throw unsupported(`${param}.type`, `edits of the type '${each.requestedType.slice(0, 200)}' are`);
    if (each.type === "clear_tool_uses_20250919") return toolUsesEdit(each);
    if (index > 0) throw invalidValue(param, "must be the first edit, as clear_thinking_20251015 always is");
    const { keep } = each;
    if (keep === "all" || keep?.type === "all") return { type: "clear-thinking", keep: "all" };
    return { type: "clear-thinking", keep: keep?.value ?? keptThinkingTurns };
  });
}

function toolUsesEdit(each: z.infer<typeof clearToolUses>): ContextEdit {
  const { trigger, keep, clear_at_least: least, exclude_tools: excluded, clear_tool_inputs: inputs } = each;
  return {
    type: "clear-tool-uses",
    trigger:
      trigger?.type === "tool_uses"
        ? { type: "tool-uses", value: trigger.value }
        : { type: "input-tokens", value: trigger?.value ?? triggerTokens },
    keep: keep?.value ?? keptToolUses,
    clearAtLeast: least?.value ?? 0,
    excludedTools: excluded ?? [],
    clearedInputs: inputs === true ? "all" : Array.isArray(inputs) ? inputs : [],
  };
}

const clearedInputTokens = countField("Tokens that the edit has removed.");

export const contextManagement = responseObject({
  applied_edits: responseArray(
    z.discriminatedUnion("type", [
      responseObject({
        type: z.literal("clear_tool_uses_20250919"),
        cleared_tool_uses: countField("Tool uses that were cleared."),
        cleared_input_tokens: clearedInputTokens,
      }),
      responseObject({
        type: z.literal("clear_thinking_20251015"),
        cleared_thinking_turns: countField("Turns whose thinking was cleared."),
        cleared_input_tokens: clearedInputTokens,
      }),
    ]),
  ),
}).meta({ id: "MessageContextManagement", description: "The edits that have changed the prompt." });

type ContextManagement = z.infer<typeof contextManagement>;

export function encodeAppliedEdits(applied: readonly AppliedEdit[]): ContextManagement {
  return {
    applied_edits: applied.map(({ type, cleared, clearedTokens: cleared_input_tokens }) =>
      type === "clear-tool-uses"
        ? { type: "clear_tool_uses_20250919", cleared_tool_uses: cleared, cleared_input_tokens }
        : { type: "clear_thinking_20251015", cleared_thinking_turns: cleared, cleared_input_tokens },
    ),
  };
}

function isOther(value: unknown): value is { readonly type: string } {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const { type } = value;
  return (
    typeof type === "string" && type !== "clear_tool_uses_20250919" && type !== "clear_thinking_20251015"
  );
}
