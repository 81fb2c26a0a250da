/**
 * The answer of POST /v1/chat/completions, from the house's events to the wire. One encoder turns events into chunks; the
 * JSON answer is a fold of the very same chunks, so that both forms always say the same. Pure.
 */
import type {
  FinishReason,
  GenerationEvent,
  GenerationStart,
  TextDelta,
  TokenLogprob,
} from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { encodeUsage, type OpenAiUsage } from "../openai-usage.js";
import { createReasoningJoiner } from "./reasoning.js";
import type {
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ChatFinishReason,
  ChatLogprobs,
  ChatTokenLogprob,
  ChatToolCall,
} from "./wire.js";

/** What every part of one answer repeats. */
export interface ChatIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  /** How many choices the answer has. */
  readonly choices: number;
  /** Calls are told the older way, as one `function_call`. */
  readonly callsAsFunction: boolean;
}

/** Gives the chunks that an event makes due: none, one, or several. */
export type ChunkEncoder = (event: GenerationEvent) => readonly ChatChunk[];

/** Encodes one answer; `includeUsage` adds the usage chunk at its end. */
export function createChunkEncoder(identity: ChatIdentity, includeUsage: boolean): ChunkEncoder {
  const choices = Array.from({ length: identity.choices }, (_, index) =>
    createChoiceEncoder(identity, index),
  );
  let usage: Usage = noUsage;
  let open = identity.choices;
  return (event) => {
    usage = addEvent(usage, event);
    if (event.type === "generation-start") return choices.flatMap((choice) => choice.start());
    const chunks = choices[event.choice]?.chunks(event) ?? [];
    if (event.type !== "generation-end") return chunks;
    open -= 1;
    if (open > 0 || !includeUsage) return chunks;
    return [...chunks, chunk(identity, [], encodeUsage(usage, identity.model))];
  };
}

interface ChoiceEncoder {
  start(): readonly ChatChunk[];
  chunks(event: Exclude<GenerationEvent, GenerationStart>): readonly ChatChunk[];
}

/** One choice: a call is told in one piece, because a widespread client reads no other. */
function createChoiceEncoder(identity: ChatIdentity, index: number): ChoiceEncoder {
  const reasoning = createReasoningJoiner();
  let call: ChatToolCall | null = null;
  const part = (delta: ChatDelta, logprobs: ChatLogprobs | null = null): ChatChunk =>
    chunk(identity, [{ index, delta, logprobs, finish_reason: null }]);
  const reasoned = (texts: readonly string[]): ChatChunk[] =>
    texts.map((text) => part({ reasoning_content: text }));
  const called = (): ChatChunk[] => {
    const whole = call;
    call = null;
    if (whole === null) return [];
    return [part(identity.callsAsFunction ? { function_call: whole.function } : { tool_calls: [whole] })];
  };
  return {
    start: () => [part({ role: "assistant", content: "" })],
    chunks(event) {
      switch (event.type) {
        case "reasoning-delta":
          return reasoned(reasoning.add(event.text));
        case "text-delta":
          if (event.text === "" && event.logprobs === undefined) return [];
          return [...reasoned(reasoning.flush()), part({ content: event.text }, encodeLogprobs(event))];
        case "tool-call-start":
          call = {
            index: event.index,
            id: event.id,
            type: "function",
            function: { name: event.name, arguments: "" },
          };
          return reasoned(reasoning.flush());
        case "tool-call-delta":
          if (call !== null) call.function.arguments += event.arguments;
          return [];
        case "tool-call-end":
          return called();
        case "generation-end": {
          const finish = finishReason(event.finishReason, identity);
          const closing = chunk(identity, [{ index, delta: {}, logprobs: null, finish_reason: finish }]);
          return [...reasoned(reasoning.flush()), ...called(), closing];
        }
      }
    },
  };
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

/** The JSON answer of the events put into it; `result` is whole once every choice has its `generation-end`. */
export interface CompletionFold {
  add(event: GenerationEvent): void;
  result(): ChatCompletion;
}

/** Folds one answer into its JSON form. */
export function foldCompletion(identity: ChatIdentity): CompletionFold {
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
    add(event) {
      for (const { choices, usage: counted } of encode(event)) {
        for (const choice of choices) {
          const whole = folded[choice.index];
          if (whole !== undefined) addChunk(whole, choice);
        }
        usage = counted ?? usage;
      }
    },
    result: () => ({
      id: identity.id,
      object: "chat.completion",
      created: identity.created,
      model: identity.model.manifest.id,
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
  functionCall: ChatToolCall["function"] | null;
  logprobs: ChatLogprobs | null;
  finish: ChatFinishReason | null;
}

function addChunk(
  whole: FoldedChoice,
  { delta, logprobs, finish_reason }: ChatChunk["choices"][number],
): void {
  whole.content += delta.content ?? "";
  whole.reasoning += delta.reasoning_content ?? "";
  whole.calls.push(...(delta.tool_calls ?? []));
  whole.functionCall = delta.function_call ?? whole.functionCall;
  whole.finish = finish_reason ?? whole.finish;
  if (logprobs === null) return;
  whole.logprobs = { content: [...(whole.logprobs?.content ?? []), ...logprobs.content], refusal: null };
}

function completionChoice(whole: FoldedChoice, index: number): ChatCompletion["choices"][number] {
  const { content, reasoning, calls, functionCall, logprobs, finish } = whole;
  return {
    index,
    message: {
      role: "assistant",
      content,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      // The index is the stream's way of telling calls apart.
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, type, function: called }) => ({ id, type, function: called })) }),
      ...(functionCall === null ? {} : { function_call: functionCall }),
      refusal: null,
    },
    logprobs,
    finish_reason: finish,
  };
}

function chunk(identity: ChatIdentity, choices: ChatChunk["choices"], usage?: OpenAiUsage): ChatChunk {
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
  tool_calls: "tool_calls",
};

function finishReason(reason: FinishReason, { callsAsFunction }: ChatIdentity): ChatFinishReason {
  return callsAsFunction && reason === "tool_calls" ? "function_call" : finishReasons[reason];
}
