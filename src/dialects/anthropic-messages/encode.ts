/**
 * Encodes generation events as the response of POST /v1/messages. One encoder turns them into stream events; the JSON response
 * is a fold of the same stream events, so both forms always have the same content. Pure.
 */
import type { z } from "zod";
import type { FinishReason, ToolCallStart } from "../../core/generation.js";
import { mayRoundNumbers, writeJson } from "../../core/json/member-texts.js";
import type { Model } from "../../core/model.js";
import type { AppliedEdit } from "../../core/prompt/context-edit.js";
import type { RunEvent } from "../../core/run-event.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { BlockWriter } from "./blocks.js";
import { encodeAppliedEdits } from "./context-management.js";
import { readCitations, type CitedDocuments } from "./documents/cited.js";
import type { McpListings } from "../mcp-tools.js";
import type { McpToolNames } from "./mcp/tools.js";
import type { ThinkingDisplay } from "./thinking.js";
import type {
  ContentBlock,
  MessageEvent,
  MessageStopReason,
  MessageUsage,
  message,
} from "./response-schema.js";
import type { ServerCallEnd } from "../../core/tools/server-call.js";

type MessageObject = z.infer<typeof message>;

/** The properties of one answer that do not come from its events. */
export interface MessageIdentity {
  /** Id of the run. */
  readonly id: string;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
  readonly thinking: ThinkingDisplay;
  /** Limit of the request. An answer that ends with `length` below this limit has filled the context. */
  readonly maxTokens: number | null;
  /** The edits that were applied to the conversation; null: the request has no `context_management`. */
  readonly appliedEdits: readonly AppliedEdit[] | null;
  /** The documents that the answer may cite; absent: none. */
  readonly documents?: CitedDocuments;
  /** The tools of MCP servers, whose calls the server executes; absent: none. */
  readonly mcpTools?: McpToolNames;
  /** The lists of tools that the answer begins with; absent: none. */
  readonly mcpLists?: McpListings;
}

/** Returns the stream events of a generation event. The caller sends `message_stop` after the last one. */
type MessageEncoder = (event: RunEvent) => readonly MessageEvent[];

export function createMessageEncoder(identity: MessageIdentity): MessageEncoder {
  const blocks = new BlockWriter();
  let usage: Usage = noUsage;
  let isStarted = false;
  const { documents = new Map() as CitedDocuments } = identity;
  const marks = documents.size === 0 ? null : new MarkReader();
  const write = (pieces: readonly AnswerPiece[]): readonly MessageEvent[] =>
    pieces.flatMap(({ type, text }) =>
      type === "text" ? blocks.text(text) : blocks.citations(readCitations(text, documents)),
    );
  const calls = new CallWriter(blocks, identity.mcpTools ?? new Map());
  const encodeEvent: MessageEncoder = (event) => {
    usage = event.usage;
    switch (event.type) {
      case "generation-start":
        // Each turn of the model has one; the message starts once.
        if (isStarted) return [];
        isStarted = true;
        return openingEvents(identity, usage, blocks);
      case "reasoning-delta":
        if (identity.thinking === "hidden" || event.text === "") return [];
        return blocks.thinking(identity.thinking === "shown" ? event.text : null);
      case "text-delta":
        return marks === null ? blocks.text(event.text) : write(marks.add(event.text));
      case "tool-call-start":
        return calls.start(event);
      case "tool-call-delta":
        return blocks.argument(event.arguments);
      case "tool-call-end":
        return blocks.close();
      case "server-call-end":
        return calls.result(event);
      case "server-call-start":
      case "conversation-compacted":
        return [];
      case "generation-end": {
        const isPaused = event.finishReason === "tool_calls" && !calls.areTheClients;
        const isCut = event.finishReason === "length" && event.stopSequence !== null;
        const finished = isCut ? "stop_sequence" : event.finishReason;
        const reason = isPaused ? "pause_turn" : stopReason(finished, usage, identity);
        return [...blocks.close(), messageDelta(reason, event.stopSequence, usage, identity)];
      }
    }
  };
  // Text that may become a mark is held back until the text ends.
  return (event) =>
    event.type === "text-delta" || marks === null
      ? encodeEvent(event)
      : [...write(marks.end()), ...encodeEvent(event)];
}

function openingEvents(
  identity: MessageIdentity,
  usage: Usage,
  blocks: BlockWriter,
): readonly MessageEvent[] {
  const lists = [...(identity.mcpLists ?? [])];
  return [
    { type: "message_start", message: emptyMessage(identity, usage) },
    { type: "ping" },
    ...lists.flatMap(([server, tools]) => blocks.mcpListing(server, tools)),
  ];
}

function messageDelta(
  stop_reason: MessageStopReason,
  stop_sequence: string | null,
  usage: Usage,
  { appliedEdits: applied }: MessageIdentity,
): MessageEvent {
  const edits = applied === null ? {} : { context_management: encodeAppliedEdits(applied) };
  return {
    type: "message_delta",
    delta: { stop_reason, stop_sequence, container: null, stop_details: null },
    usage: encodeUsage(usage),
    ...edits,
  };
}

/** Folds the events of one answer into the JSON response. */
export function foldMessage(identity: MessageIdentity) {
  const encode = createMessageEncoder(identity);
  const content: FoldedBlock[] = [];
  let message = emptyMessage(identity, noUsage);
  const addStreamEvent = (event: MessageEvent): void => {
    if (event.type === "message_start") message = event.message;
    else if (event.type === "content_block_start") content.push({ block: event.content_block, json: "" });
    else if (event.type === "content_block_delta") {
      const open = content[event.index];
      if (open !== undefined) content[event.index] = withDelta(open, event.delta);
    } else if (event.type === "message_delta") {
      const { type: _, delta, usage, ...edits } = event;
      message = { ...message, ...delta, usage: { ...message.usage, ...usage }, ...edits };
    }
  };
  const result = (): MessageObject => ({ ...message, content: content.map(finishedBlock) });
  return {
    add: (event: RunEvent): void => encode(event).forEach(addStreamEvent),
    result,
    /** Returns the result, or its JSON text if the arguments of a call may have numbers that the result does not keep. */
    body(): MessageObject | string {
      const whole = result();
      const texts = new Map<object, string>();
      for (const [index, block] of whole.content.entries()) {
        const json = content[index]?.json ?? "";
        if (isCall(block) && isWhole(json) && mayRoundNumbers(json)) texts.set(block.input, json);
      }
      return texts.size === 0 ? whole : writeJson(whole, texts);
    },
  };
}

interface FoldedBlock {
  readonly block: ContentBlock;
  /** The JSON of a tool call's arguments so far. */
  readonly json: string;
}

type Delta = Extract<MessageEvent, { type: "content_block_delta" }>["delta"];

function withDelta({ block, json }: FoldedBlock, delta: Delta): FoldedBlock {
  if (delta.type === "input_json_delta") return { block, json: json + delta.partial_json };
  if (block.type === "text" && delta.type === "text_delta")
    return { block: { ...block, text: block.text + delta.text }, json };
  if (block.type === "text" && delta.type === "citations_delta")
    return { block: { ...block, citations: [...(block.citations ?? []), delta.citation] }, json };
  if (block.type !== "thinking") return { block, json };
  if (delta.type === "thinking_delta")
    return { block: { ...block, thinking: block.thinking + delta.thinking }, json };
  return delta.type === "signature_delta"
    ? { block: { ...block, signature: delta.signature }, json }
    : { block, json };
}

/** Parses the arguments of a tool call. Arguments that were truncated by the token limit are not valid JSON and are dropped. */
function finishedBlock({ block, json }: FoldedBlock): ContentBlock {
  if (!isCall(block) || !isWhole(json)) return block;
  return { ...block, input: JSON.parse(json) as Readonly<Record<string, unknown>> };
}

function isCall(block: ContentBlock): block is Extract<ContentBlock, { readonly input: object }> {
  return block.type === "tool_use" || block.type === "mcp_tool_use";
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function emptyMessage({ id, modelName }: MessageIdentity, usage: Usage): MessageObject {
  return {
    id: `msg_${id.replaceAll("-", "")}`,
    type: "message",
    role: "assistant",
    model: modelName,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    container: null,
    stop_details: null,
    diagnostics: null,
    usage: {
      ...encodeUsage(usage),
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      inference_geo: null,
      speed: null,
      service_tier: "standard",
    },
  };
}

const stopReasons: Readonly<Record<FinishReason, MessageStopReason>> = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

function stopReason(reason: FinishReason, usage: Usage, { maxTokens }: MessageIdentity): MessageStopReason {
  const reachedLimit = maxTokens !== null && outputTokens(usage) >= maxTokens;
  return reason === "length" && !reachedLimit ? "model_context_window_exceeded" : stopReasons[reason];
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
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
  };
}

/** Writes the blocks of calls of the client's tools, and of calls of MCP servers with their results. */
class CallWriter {
  readonly #blocks: BlockWriter;
  readonly #tools: McpToolNames;
  /** Ids of the calls that the server executes, by their index in the answer. */
  readonly #executed = new Map<number, string>();
  #areTheClients = false;

  constructor(blocks: BlockWriter, tools: McpToolNames) {
    this.#blocks = blocks;
    this.#tools = tools;
  }

  /** Whether the client must execute calls of the answer. */
  get areTheClients(): boolean {
    return this.#areTheClients;
  }

  start({ index, id, name }: ToolCallStart): readonly MessageEvent[] {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      this.#areTheClients = true;
      return this.#blocks.call(id.replace(/^call_/, "toolu_"), name);
    }
    const blockId = id.replace(/^call_/, "mcptoolu_");
    this.#executed.set(index, blockId);
    return this.#blocks.mcpCall(blockId, tool);
  }

  result({ index, result: { content, shown = content, failed } }: ServerCallEnd): readonly MessageEvent[] {
    return this.#blocks.mcpResult(this.#executed.get(index) ?? "", shown, failed);
  }
}

// Finds the marks of citations in the text of an answer while it is generated. Pure.

/** A piece of an answer: its text, or a mark. */
interface AnswerPiece {
  readonly type: "text" | "mark";
  readonly text: string;
}

const mark = /\s*\[\[\s*\d{1,6}:\d{1,6}(?:-\d{1,6})?(?:\s*[,;]\s*\d{1,6}:\d{1,6}(?:-\d{1,6})?)*\s*\]\]/;
/** The end of a text that may become a mark; white space before a mark is no part of the text. */
const beginning = /(?:\s*\[\[[\d:,;\s-]*\]?|\s*\[|\s+)$/;
/** A text that looks like a mark for longer than this is none. */
const markCharsMax = 200;

class MarkReader {
  #held = "";

  /** Adds a part of the answer, and returns the pieces that are known by now. */
  add(text: string): readonly AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    let rest = this.#held + text;
    for (let found = mark.exec(rest); found !== null; found = mark.exec(rest)) {
      pushText(pieces, rest.slice(0, found.index));
      pieces.push({ type: "mark", text: found[0] });
      rest = rest.slice(found.index + found[0].length);
    }
    const tail = rest.slice(-markCharsMax);
    const held = beginning.exec(tail)?.[0] ?? "";
    pushText(pieces, rest.slice(0, rest.length - held.length));
    this.#held = held;
    return pieces;
  }

  /** Returns the text that was held back, at the end of a text. */
  end(): readonly AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    pushText(pieces, this.#held);
    this.#held = "";
    return pieces;
  }
}

function pushText(pieces: AnswerPiece[], text: string): void {
  if (text !== "") pieces.push({ type: "text", text });
}
