/**
 * The answer of POST /v1/chat/completions, from the house's events to the wire. One encoder turns events into chunks; the
 * JSON answer is a fold of the very same chunks, so that both forms always say the same. Pure.
 */
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { costOf } from "../../core/money.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { createReasoningJoiner } from "./reasoning.js";
import type { ChatChunk, ChatCompletion, ChatDelta, ChatFinishReason, ChatUsage } from "./wire.js";

/** What every part of one answer repeats. */
export interface ChatIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
}

/** Gives the chunks that an event makes due: none, one, or several. */
export type ChunkEncoder = (event: GenerationEvent) => readonly ChatChunk[];

/** Encodes one answer; `includeUsage` adds the usage chunk at its end. */
export function createChunkEncoder(identity: ChatIdentity, includeUsage: boolean): ChunkEncoder {
  const reasoning = createReasoningJoiner();
  let usage: Usage = noUsage;
  const choice = (delta: ChatDelta, finish: ChatFinishReason | null = null): ChatChunk =>
    chunk(identity, [{ index: 0, delta, logprobs: null, finish_reason: finish }]);
  const reasoned = (texts: readonly string[]): ChatChunk[] =>
    texts.map((text) => choice({ reasoning_content: text }));
  return (event) => {
    usage = addEvent(usage, event);
    switch (event.type) {
      case "generation-start":
        return [choice({ role: "assistant", content: "" })];
      case "reasoning-delta":
        return reasoned(reasoning.add(event.text));
      case "text-delta":
        if (event.text === "") return [];
        return [...reasoned(reasoning.flush()), choice({ content: event.text })];
      case "generation-end": {
        const closing = [...reasoned(reasoning.flush()), choice({}, finishReasons[event.finishReason])];
        return includeUsage ? [...closing, chunk(identity, [], encodeUsage(usage, identity.model))] : closing;
      }
    }
  };
}

/** The JSON answer of the events put into it; `result` is whole once `generation-end` was added. */
export interface CompletionFold {
  add(event: GenerationEvent): void;
  result(): ChatCompletion;
}

/** Folds one answer into its JSON form. */
export function foldCompletion(identity: ChatIdentity): CompletionFold {
  const encode = createChunkEncoder(identity, true);
  let content = "";
  let reasoning = "";
  let finish: ChatFinishReason | null = null;
  let usage: ChatUsage = encodeUsage(noUsage, identity.model);
  return {
    add(event) {
      for (const { choices, usage: counted } of encode(event)) {
        for (const { delta, finish_reason: reason } of choices) {
          content += delta.content ?? "";
          reasoning += delta.reasoning_content ?? "";
          finish = reason ?? finish;
        }
        usage = counted ?? usage;
      }
    },
    result: () => completion(identity, { content, reasoning, finish, usage }),
  };
}

interface Folded {
  readonly content: string;
  readonly reasoning: string;
  readonly finish: ChatFinishReason | null;
  readonly usage: ChatUsage;
}

function completion(identity: ChatIdentity, folded: Folded): ChatCompletion {
  const thought = folded.reasoning === "" ? {} : { reasoning_content: folded.reasoning };
  const message = { role: "assistant", content: folded.content, ...thought, refusal: null } as const;
  return {
    id: identity.id,
    object: "chat.completion",
    created: identity.created,
    model: identity.model.manifest.id,
    choices: [{ index: 0, message, logprobs: null, finish_reason: folded.finish }],
    usage: folded.usage,
    system_fingerprint: identity.model.fingerprint,
    service_tier: "default",
  };
}

function chunk(identity: ChatIdentity, choices: ChatChunk["choices"], usage?: ChatUsage): ChatChunk {
  return {
    id: identity.id,
    object: "chat.completion.chunk",
    created: identity.created,
    model: identity.model.manifest.id,
    choices,
    ...(usage === undefined ? {} : { usage }),
    system_fingerprint: identity.model.fingerprint,
  };
}

const finishReasons: Readonly<Record<FinishReason, ChatFinishReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
};

/** xAI's counting: reasoning stands beside the completion, and the total holds both. */
function encodeUsage(usage: Usage, model: Model): ChatUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens + usage.reasoningTokens,
    prompt_tokens_details: {
      text_tokens: usage.promptTokens - usage.imageTokens,
      audio_tokens: 0,
      image_tokens: usage.imageTokens,
      cached_tokens: usage.cachedTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: costOf(usage, model.manifest.prices),
  };
}
