/**
 * Parses and encodes POST /v1/responses/compact. The model summarizes a conversation; the client gets the summary as opaque
 * text and sends it in later requests in place of the earlier items. Pure.
 */
import type { AnswerName } from "../openai-answer.js";
import { HearthError } from "../../core/errors.js";
import { noTools, type GenerationRequest } from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { validFields } from "../field-error.js";
import { parseSampling } from "../generation/sampling.js";
import { outputItemId } from "./items/ids.js";
import type { InputItem } from "./items/input-item-schema.js";
import { toConversation, readResponseInput } from "./parse.js";
import { summaryInstruction, summaryTokensMax } from "./summary.js";
import { compactRequestSchema } from "./schema.js";
import { encodeOpaque } from "./items/opaque-text.js";
import { encodeResponseUsage } from "./usage.js";
import type { CompactionBody } from "./response-schema.js";

export interface CompactRequest {
  readonly model: string;
  /** The input items of the request; references are not yet resolved. */
  readonly input: readonly InputItem[];
  readonly previousResponseId: string | null;
  readonly conversationId: null;
  /**
   * Returns the request for the summary.
   * @param items the earlier items of the conversation, then the request's input with resolved references.
   */
  generation(items: readonly InputItem[]): GenerationRequest;
}

/** Parses a request body. @throws HearthError `invalid_field` or `invalid_value` that names the field. */
export function parseCompactRequest(body: unknown): CompactRequest {
  const fields = validFields(compactRequestSchema, body);
  const input = readResponseInput(fields);
  const conversation = (items: readonly InputItem[]) =>
    toConversation(fields.instructions ?? null, items, {
      count: items.length - input.length,
      field: "previous_response_id",
    });
  return {
    model: fields.model,
    input,
    previousResponseId: fields.previous_response_id ?? null,
    conversationId: null,
    generation: (items) => ({
      model: fields.model,
      messages: [...conversation(items), { role: "user", content: summaryInstruction }],
      tools: [],
      toolChoice: noTools,
      format: { type: "text" },
      reasoningEffort: "none",
      sampling: parseSampling({}),
      topLogprobs: null,
      choices: 1,
      stop: [],
      maxTokens: summaryTokensMax,
      maxTokensExcludesReasoning: false,
      deterministic: false,
    }),
  };
}

const cutSummary = `The model's summary of the conversation is not complete: it has at most ${summaryTokensMax} tokens, and those that the conversation leaves in the context of the model.`;

/** Folds the events of a summary into the response. */
export function foldCompaction({ id, created, model, modelName }: AnswerName) {
  let usage: Usage = noUsage;
  let summary = "";
  let isCut = false;
  return {
    add(event: RunEvent): void {
      usage = event.usage;
      if (event.type === "text-delta") summary += event.text;
      if (event.type === "generation-end") isCut = event.finishReason === "length";
    },
    /** @throws HearthError `invalid_output` if the model generated no text, or its summary was cut. */
    result(): CompactionBody {
      if (isCut) throw new HearthError("invalid_output", cutSummary);
      if (summary.trim() === "")
        throw new HearthError("invalid_output", "The model returned no summary of the conversation.");
      const item = {
        id: outputItemId("cmp", id, 0),
        type: "compaction",
        encrypted_content: encodeOpaque(summary),
      } as const;
      return {
        id,
        object: "response.compaction",
        created_at: created,
        model: modelName,
        output: [item],
        usage: encodeResponseUsage(usage, model),
      };
    },
  };
}
