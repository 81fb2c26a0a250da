/**
 * POST /v1/responses/compact: a conversation made short by the model itself. What it says of the conversation goes back to the
 * client sealed, and stands in a later request for all that was said before. Pure.
 */
import { HearthError } from "../../core/errors.js";
import { noTools, type GenerationEvent, type GenerationRequest } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { fieldError } from "../field-error.js";
import { parseSampling } from "../openai-sampling.js";
import { outputItemId } from "./items/ids.js";
import type { InputItem } from "./items/item-schema.js";
import { conversationOf, readInput } from "./parse.js";
import { compactRequestSchema } from "./schema.js";
import { seal } from "./items/sealed.js";
import { encodeUsage } from "./usage.js";
import type { CompactionBody } from "./wire.js";

const summaryTokensMax = 2_048;

const task =
  "Summarise our conversation up to here, so that it can go on from your summary alone. Keep what was asked for, what was " +
  "decided, facts, names and numbers, results of tools, and what is still to be done. Answer with the summary only.";

export interface CompactRequest {
  readonly model: string;
  /** The request's own input; an `item_reference` still stands for what it names. */
  readonly input: readonly InputItem[];
  readonly previousResponseId: string | null;
  /** Asks for the summary of a conversation: what was said before, then the own input with its references resolved. */
  generation(items: readonly InputItem[]): GenerationRequest;
}

/** Reads a request body. @throws HearthError `invalid_field` or `invalid_value`, naming the field. */
export function parseCompactRequest(body: unknown): CompactRequest {
  const parsed = compactRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  const input = readInput(fields);
  const conversation = (items: readonly InputItem[]) =>
    conversationOf(fields.instructions ?? null, items, items.length - input.length);
  return {
    model: fields.model,
    input,
    previousResponseId: fields.previous_response_id ?? null,
    generation: (items) => ({
      model: fields.model,
      messages: [...conversation(items), { role: "user", content: task }],
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

/** What one compaction is known by. */
export interface CompactionIdentity {
  /** `cmp_` and 32 hex digits. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
}

/** The answer of the events put into it; whole once they held a `generation-end`. */
export interface CompactionFold {
  add(event: GenerationEvent): void;
  /** @throws HearthError `invalid_output` when the model said nothing. */
  result(): CompactionBody;
}

/** Folds a summary into its answer. */
export function foldCompaction({ id, created, model }: CompactionIdentity): CompactionFold {
  let usage: Usage = noUsage;
  let summary = "";
  return {
    add(event) {
      usage = addEvent(usage, event);
      if (event.type === "text-delta") summary += event.text;
    },
    result() {
      if (summary.trim() === "")
        throw new HearthError("invalid_output", "The model gave no summary of the conversation.");
      const item = {
        id: outputItemId("cmp", id, 0),
        type: "compaction",
        encrypted_content: seal(summary),
      } as const;
      return {
        id,
        object: "response.compaction",
        created_at: created,
        model: model.manifest.id,
        output: [item],
        usage: encodeUsage(usage, model),
      };
    },
  };
}
