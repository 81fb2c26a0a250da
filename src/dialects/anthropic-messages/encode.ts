/**
 * The answer of POST /v1/messages, from the house's events to the wire. One encoder turns events into Anthropic's; the JSON
 * answer is a fold of the very same events, so that both forms always say the same. Pure.
 */
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { BlockWriter } from "./blocks.js";
import type { ThinkingDisplay } from "./thinking.js";
import type { ContentBlock, Message, MessageEvent, MessageStopReason, MessageUsage } from "./wire.js";

/** What one answer is known by. */
export interface MessageIdentity {
  /** Of the run. */
  readonly id: string;
  readonly model: Model;
  readonly thinking: ThinkingDisplay;
  /** What the request allowed; an answer that ends before it for want of room filled the context. */
  readonly maxTokens: number | null;
}

/** Gives the wire events that an event makes due; `message_stop` follows when the last of them is sent. */
export type MessageEncoder = (event: GenerationEvent) => readonly MessageEvent[];

/** Encodes one answer. */
export function createMessageEncoder(identity: MessageIdentity): MessageEncoder {
  const blocks = new BlockWriter();
  let usage: Usage = noUsage;
  return (event) => {
    usage = addEvent(usage, event);
    switch (event.type) {
      case "generation-start":
        return [{ type: "message_start", message: emptyMessage(identity, usage) }, { type: "ping" }];
      case "reasoning-delta":
        if (identity.thinking === "hidden" || event.text === "") return [];
        return blocks.thinking(identity.thinking === "shown" ? event.text : null);
      case "text-delta":
        return blocks.text(event.text);
      case "tool-call-start":
        return blocks.call(event.id.replace(/^call_/, "toolu_"), event.name);
      case "tool-call-delta":
        return blocks.argument(event.arguments);
      case "tool-call-end":
        return blocks.close();
      case "generation-end": {
        const stop_reason = stopReason(event.finishReason, usage, identity);
        const delta = { stop_reason, stop_sequence: event.stopSequence };
        return [...blocks.close(), { type: "message_delta", delta, usage: encodeUsage(usage) }];
      }
    }
  };
}

/** The JSON answer of the events put into it; whole once they held a `generation-end`. */
export interface MessageFold {
  add(event: GenerationEvent): void;
  result(): Message;
}

/** Folds one answer into its JSON form. */
export function foldMessage(identity: MessageIdentity): MessageFold {
  const encode = createMessageEncoder(identity);
  const content: FoldedBlock[] = [];
  let message = emptyMessage(identity, noUsage);
  const take = (event: MessageEvent): void => {
    if (event.type === "message_start") message = event.message;
    else if (event.type === "content_block_start") content.push({ block: event.content_block, json: "" });
    else if (event.type === "content_block_delta") {
      const open = content[event.index];
      if (open !== undefined) content[event.index] = withDelta(open, event.delta);
    } else if (event.type === "message_delta")
      message = { ...message, ...event.delta, usage: { ...message.usage, ...event.usage } };
  };
  return {
    add: (event) => encode(event).forEach(take),
    result: () => ({ ...message, content: content.map(wholeBlock) }),
  };
}

interface FoldedBlock {
  readonly block: ContentBlock;
  /** Of a call's arguments. */
  readonly json: string;
}

type Delta = Extract<MessageEvent, { type: "content_block_delta" }>["delta"];

function withDelta({ block, json }: FoldedBlock, delta: Delta): FoldedBlock {
  if (delta.type === "input_json_delta") return { block, json: json + delta.partial_json };
  if (block.type === "text" && delta.type === "text_delta")
    return { block: { ...block, text: block.text + delta.text }, json };
  if (block.type !== "thinking") return { block, json };
  if (delta.type === "thinking_delta")
    return { block: { ...block, thinking: block.thinking + delta.thinking }, json };
  return delta.type === "signature_delta"
    ? { block: { ...block, signature: delta.signature }, json }
    : { block, json };
}

/** Arguments that the bound on tokens cut short are no JSON: such a call has none. */
function wholeBlock({ block, json }: FoldedBlock): ContentBlock {
  if (block.type !== "tool_use" || json === "") return block;
  try {
    return { ...block, input: JSON.parse(json) as Readonly<Record<string, unknown>> };
  } catch {
    return block;
  }
}

function emptyMessage({ id, model }: MessageIdentity, usage: Usage): Message {
  return {
    id: `msg_${id.replaceAll("-", "")}`,
    type: "message",
    role: "assistant",
    model: model.manifest.id,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...encodeUsage(usage), service_tier: "standard" },
  };
}

const stopReasons: Readonly<Record<FinishReason, MessageStopReason>> = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
};

function stopReason(reason: FinishReason, usage: Usage, { maxTokens }: MessageIdentity): MessageStopReason {
  const bounded = maxTokens !== null && outputTokens(usage) >= maxTokens;
  return reason === "length" && !bounded ? "model_context_window_exceeded" : stopReasons[reason];
}

function outputTokens({ completionTokens, reasoningTokens }: Usage): number {
  return completionTokens + reasoningTokens;
}

function encodeUsage(usage: Usage): MessageUsage {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: outputTokens(usage),
  };
}
