/**
 * Encodes generation events as the response of POST /v1/chat/completions. One encoder turns events into stream chunks; the
 * JSON response is a fold of the same chunks, so both forms always have the same content. Pure.
 */
import type {
  FinishReason,
  GenerationEvent,
  GenerationStart,
  TextDelta,
  TokenLogprob,
} from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import { isServerEvent } from "../../core/tools/server-call.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { encodeUsage, type OpenAiUsage, type AnswerName } from "../openai-answer.js";
import { readTextInput } from "../client-tools/text-input-reader.js";
import type {
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ChatFinishReason,
  ChatLogprobs,
  ChatTokenLogprob,
  ChatToolCall,
} from "./response-schema.js";

/** The values that every chunk of one answer repeats. */
export interface ChatIdentity extends AnswerName {
  /** Number of choices of the answer. */
  readonly choices: number;
  /** Whether a tool call is encoded in the older form, as `function_call`. */
  readonly callsAsFunction: boolean;
  /** Names of the tools whose calls have a text as input; absent = none. */
  readonly textTools?: ReadonlySet<string>;
  /** Whether the arguments of a function's call are encoded in pieces; absent = each call is whole in one chunk. */
  readonly streamsCalls?: boolean;
}

/** Returns the chunks of an event: none, one, or several. */
type ChunkEncoder = (event: RunEvent) => readonly ChatChunk[];

/** Encodes one answer; `includeUsage` adds a usage chunk at the end. */
export function createChunkEncoder(identity: ChatIdentity, includeUsage: boolean): ChunkEncoder {
  const choices = Array.from({ length: identity.choices }, (_, index) =>
    createChoiceEncoder(identity, index),
  );
  let usage: Usage = noUsage;
  let open = identity.choices;
  return (event) => {
    usage = event.usage;
    if (event.type === "generation-start") return choices.flatMap((choice) => choice.start());
    if (isServerEvent(event)) return [];
    const chunks = choices[event.choice]?.chunks(event) ?? [];
    if (event.type !== "generation-end") return chunks;
    open -= 1;
    if (open > 0 || !includeUsage) return chunks;
    return [...chunks, chunk(identity, [], encodeUsage(usage, identity.model))];
  };
}

/**
 * Encodes one choice. A tool call is sent in a single chunk, because a common client cannot read split calls, unless the request asks for
 * pieces.
 */
function createChoiceEncoder(identity: ChatIdentity, index: number) {
  const reasoning = createReasoningJoiner();
  let call: OpenCall | null = null;
  const deltaChunk = (delta: ChatDelta, logprobs: ChatLogprobs | null = null): ChatChunk =>
    chunk(identity, [{ index, delta, logprobs, finish_reason: null }]);
  const reasoningChunks = (texts: readonly string[]): ChatChunk[] =>
    texts.map((text) => deltaChunk({ reasoning_content: text, reasoning: text }));
  const callChunks = (): ChatChunk[] => {
    const finished = call;
    call = null;
    const isSent = finished === null || isStreamed(finished, identity);
    return isSent ? [] : [deltaChunk(callDelta(finished, identity))];
  };
  return {
    start: (): readonly ChatChunk[] => [deltaChunk({ role: "assistant", content: "" })],
    chunks(event: Exclude<GenerationEvent, GenerationStart>): readonly ChatChunk[] {
      switch (event.type) {
        case "reasoning-delta":
          return reasoningChunks(reasoning.add(event.text));
        case "text-delta":
          if (event.text === "" && event.logprobs === undefined) return [];
          return [
            ...reasoningChunks(reasoning.flush()),
            deltaChunk({ content: event.text }, encodeLogprobs(event)),
          ];
        case "tool-call-start": {
          call = { index: event.index, id: event.id, name: event.name, arguments: "" };
          const begun = isStreamed(call, identity) ? [deltaChunk(callDelta(call, identity))] : [];
          return [...reasoningChunks(reasoning.flush()), ...begun];
        }
        case "tool-call-delta":
          if (call === null || event.arguments === "") return [];
          call.arguments += event.arguments;
          if (!isStreamed(call, identity)) return [];
          return [
            deltaChunk({ tool_calls: [{ index: call.index, function: { arguments: event.arguments } }] }),
          ];
        case "tool-call-end":
          return callChunks();
        case "generation-end": {
          const finish = finishReason(event.finishReason, identity);
          const lastChunk = chunk(identity, [{ index, delta: {}, logprobs: null, finish_reason: finish }]);
          return [...reasoningChunks(reasoning.flush()), ...callChunks(), lastChunk];
        }
      }
    },
  };
}

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  arguments: string;
}

function isStreamed({ name }: OpenCall, { streamsCalls, callsAsFunction, textTools }: ChatIdentity): boolean {
  return streamsCalls === true && !callsAsFunction && textTools?.has(name) !== true;
}

function callDelta(call: OpenCall, identity: ChatIdentity): ChatDelta {
  const { name, arguments: json } = call;
  return identity.callsAsFunction
    ? { function_call: { name, arguments: json } }
    : { tool_calls: [encodeCall(call, identity)] };
}

function encodeCall(
  { index, id, name, arguments: json }: OpenCall,
  { textTools }: ChatIdentity,
): ChatToolCall {
  return textTools?.has(name) === true
    ? { index, id, type: "custom", custom: { name, input: readTextInput(json) } }
    : { index, id, type: "function", function: { name, arguments: json } };
}

function encodeLogprobs({ logprobs }: TextDelta): ChatLogprobs | null {
  if (logprobs === undefined) return null;
  const wire = ({ text, bytes, logprob }: TokenLogprob): ChatTokenLogprob => ({
    token: text,
    logprob,
    bytes,
  });
  return {
    content: logprobs.map((each) => ({ ...wire(each), top_logprobs: each.top.map(wire) })),
    refusal: null,
  };
}

/** Folds the events of one answer into the JSON response. */
/** Builds the JSON response from events; `result` is complete once every choice has had its `generation-end`. */
export function foldChat(identity: ChatIdentity) {
  const encode = createChunkEncoder(identity, true);
  const folded = Array.from({ length: identity.choices }, (): FoldedChoice => ({
    content: "",
    reasoning: "",
    calls: [],
    functionCall: null,
    logprobs: null,
    finish: null,
  }));
  let usage: OpenAiUsage = encodeUsage(noUsage, identity.model);
  return {
    add(event: RunEvent): void {
      for (const { choices, usage: chunkUsage } of encode(event)) {
        for (const choice of choices) {
          const foldedChoice = folded[choice.index];
          if (foldedChoice !== undefined) addChunk(foldedChoice, choice);
        }
        usage = chunkUsage ?? usage;
      }
    },
    result: (): ChatCompletion => ({
      id: identity.id,
      object: "chat.completion",
      created: identity.created,
      model: identity.modelName,
      choices: folded.map(completionChoice),
      usage,
      system_fingerprint: identity.model.fingerprint,
      service_tier: "default",
    }),
  };
}

interface FoldedChoice {
  content: string;
  reasoning: string;
  readonly calls: ChatToolCall[];
  functionCall: NonNullable<ChatDelta["function_call"]> | null;
  logprobs: ChatLogprobs | null;
  finish: ChatFinishReason | null;
}

function addChunk(
  folded: FoldedChoice,
  { delta, logprobs, finish_reason }: ChatChunk["choices"][number],
): void {
  folded.content += delta.content ?? "";
  folded.reasoning += delta.reasoning_content ?? "";
  folded.calls.push(...(delta.tool_calls ?? []).filter((call) => "type" in call));
  folded.functionCall = delta.function_call ?? folded.functionCall;
  folded.finish = finish_reason ?? folded.finish;
  if (logprobs === null) return;
  folded.logprobs = { content: [...(folded.logprobs?.content ?? []), ...logprobs.content], refusal: null };
}

function completionChoice(folded: FoldedChoice, index: number): ChatCompletion["choices"][number] {
  const { content, reasoning, calls, functionCall, logprobs, finish } = folded;
  return {
    index,
    message: {
      role: "assistant",
      content,
      reasoning_content: reasoning || undefined,
      reasoning: reasoning || undefined,
      // Only streamed calls have an index.
      tool_calls: calls.length === 0 ? undefined : calls.map(withoutIndex),
      function_call: functionCall ?? undefined,
      refusal: null,
    },
    logprobs,
    finish_reason: finish,
  };
}

function withoutIndex(call: ChatToolCall) {
  const { index: _, ...rest } = call;
  return rest;
}

function chunk(identity: ChatIdentity, choices: ChatChunk["choices"], usage?: OpenAiUsage): ChatChunk {
  return {
    id: identity.id,
    object: "chat.completion.chunk",
    created: identity.created,
    model: identity.modelName,
    choices,
    usage,
    system_fingerprint: identity.model.fingerprint,
  };
}

const finishReasons: Readonly<Record<FinishReason, ChatFinishReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};

function finishReason(reason: FinishReason, { callsAsFunction }: ChatIdentity): ChatFinishReason {
  return callsAsFunction && reason === "tool_calls" ? "function_call" : finishReasons[reason];
}

/**
 * Joins reasoning deltas so that two adjacent deltas are never equal: a common client treats the second of two equal deltas as a
 * duplicate and drops it. A delta that equals the previous one is held back and joined with the next. A short run of one character
 * is held back, too, because at the end it could not be split into two different deltas.
 */
function createReasoningJoiner() {
  let sent = "";
  let held = "";
  return {
    /** Adds reasoning text. @returns the deltas to send now. */
    add(text: string): readonly string[] {
      held += text;
      if (held === "" || held === sent || isShortRun(held)) return [];
      sent = held;
      held = "";
      return [sent];
    },
    /** Called when the reasoning ends or is interrupted. @returns the remaining deltas to send. */
    flush(): readonly string[] {
      const rest = held === "" ? [] : held === sent ? split(held) : [held];
      sent = "";
      held = "";
      return rest;
    },
  };
}

function isShortRun(text: string): boolean {
  const [first, second, ...more] = text.slice(0, 5);
  return more.length === 0 && (second === undefined || second === first);
}

/** Splits a text into two different deltas. Never called with a short run, because a short run is never sent before the end. */
function split(text: string): readonly string[] {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return [first, text.slice(first.length)];
}
