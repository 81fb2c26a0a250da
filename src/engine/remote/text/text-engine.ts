/** Models on servers that are sent texts, such as hosted ones: their templates, tokens and grammars are not known here. */
import type { Conversation, DecodeJob, Engine, Prompt, ResidentModel } from "../../../core/engine.js";
import type { Clock } from "../../../core/clock.js";
import { HearthError, toHearthError, type ErrorDetails, type PromptSizes } from "../../../core/errors.js";
import type {
  EngineEvent,
  GenerationEvent,
  RawPrompt,
  AnswerFormat,
  Message,
  Tool,
  ToolChoice,
} from "../../../core/generation.js";
import type { Model } from "../../../core/model.js";
import { isUnreachable, mayBeTriedElsewhere } from "../errors.js";
import { streamEvents } from "../http.js";
import { SilenceWatch } from "../calls/silence.js";
import type { RemotePool, ServerPlace } from "../pool.js";
import type { Replica } from "../replica.js";
import { traceCall, type CallTracing } from "../calls/traced-call.js";
import { TextAnswer } from "./answer.js";
import { estimatedPromptTokens, maxPromptTokens } from "./estimate.js";

/** Characters of a conversation that decide which of several servers it goes to. */
const firstCharacters = 256;

interface TextEngineDeps {
  readonly clock: Clock;
  readonly tracing: CallTracing;
}

export function createTextEngine(findPool: (model: Model) => RemotePool, { clock, tracing }: TextEngineDeps) {
  const used = new Map<string, Omit<ResidentModel, "device" | "slots"> & { readonly pool: RemotePool }>();
  return {
    async load(model) {
      const pool = findPool(model);
      await pool.ready();
      const { id, contextTokens } = model.manifest;
      const loadedAt = used.get(id)?.loadedAt ?? clock.now();
      used.set(id, { id, bytes: 0, isRemote: true, contextTokens, loadedAt, until: null, pool });
      const release = (): void => undefined;
      return {
        contextTokens,
        slots: pool.slots,
        sharedAs: pool.sharedAs(model),
        callsAreExact: false,
        ignoresRules: true,
        release,
      };
    },
    prompt: (model, source) => new Promise((resolve) => resolve(createPrompt(model, source))),
    tokenize: () => Promise.reject(noTokens("text")),
    generate: (model, job, signal) => generate(findPool(model), { clock, tracing }, { model, job }, signal),
    residents: () =>
      [...used.values()].map(({ pool, ...each }) => ({ ...each, device: pool.summary, slots: pool.slots })),
  } satisfies Partial<Engine>;
}

/** The server refuses what is too long for it; an estimate must not. */
function createPrompt({ manifest }: Model, source: Conversation | RawPrompt): Prompt {
  if ("prompt" in source) throw noTokens("prompt");
  const { messages, tools, reasoningEffort, templateVariables, prefill } = source;
  const conversation = { messages, tools, reasoningEffort, templateVariables, prefill };
  const tokens = Math.min(estimatedPromptTokens(conversation), manifest.contextTokens - 1);
  const tokensMax = Math.min(maxPromptTokens(conversation), manifest.contextTokens);
  return { tokens: new Uint32Array(tokens), tokensMax, startsInReasoning: false, conversation };
}

function noTokens(param: string): HearthError {
  const message = `${param}: the tokens of this model are not known here: its server is sent conversations only.`;
  return new HearthError("invalid_value", message, { param });
}

/** Asks one server after the other, until one has begun to answer. */
async function* generate(
  pool: RemotePool,
  { clock, tracing }: TextEngineDeps,
  { model, job }: { readonly model: Model; readonly job: DecodeJob },
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, void, undefined> {
  const tried = new Set<Replica>();
  let failure: HearthError | null = null;
  for (;;) {
    const place = enter(pool, job, tried, failure);
    const { server, modelName } = place;
    const call = traceCall(tracing, "chat", { kind: pool.settings.kind, modelName, url: server.url });
    const traced = { ...place, server: { ...server, headers: call.headers } };
    const silence = new SilenceWatch({ clock, server: place.replica, signal });
    const answer = new TextAnswer(server, job, model.manifest.contextTokens);
    let failed: unknown;
    let hasEmitted = false;
    try {
      for await (const event of readAnswer(traced, job, answer, silence)) {
        hasEmitted = true;
        yield event;
      }
      return;
    } catch (thrown) {
      if (signal.aborted) {
        const { counted } = answer;
        if (counted !== null) yield { type: "answer-cut", choice: 0, counted };
        return;
      }
      failed = silence.failure ?? thrown;
      if (isUnreachable(failed)) place.replica.fail(failed);
      if (hasEmitted || !mayBeTriedElsewhere(failed)) throw toHearthError(failed);
      tried.add(place.replica);
      failure ??= toHearthError(failed);
    } finally {
      silence.stop();
      call.end(failed);
      place.leave();
    }
  }
}

/** Where no other server is left, the first reason says more. */
function enter(
  pool: RemotePool,
  job: DecodeJob,
  tried: ReadonlySet<Replica>,
  failure: HearthError | null,
): ServerPlace {
  try {
    return pool.enterServer(tried, createKey(job));
  } catch (thrown) {
    throw failure ?? thrown;
  }
}

/** Yields the events of an answer. It ends where it is as long as it may be, whatever the server still sends. */
async function* readAnswer(
  { server, modelName }: ServerPlace,
  job: DecodeJob,
  answer: TextAnswer,
  silence: SilenceWatch,
): AsyncGenerator<GenerationEvent, void, undefined> {
  const { conversation, tokens } = job.prompt;
  if (conversation === undefined) throw noTokens("prompt");
  const body = writeChatBody(modelName, conversation, job);
  let isStarted = false;
  try {
    const { signal } = silence;
    for await (const event of streamEvents(server, "/chat/completions", body, signal, readRefusal)) {
      const events = [...answer.read(event.data)];
      if (events.length > 0) {
        event.counts();
        silence.heard();
      }
      if (answer.isEnding) silence.ending();
      if (answer.isComplete) event.ends();
      if (!isStarted) yield { type: "generation-start", promptTokens: tokens.length, cachedTokens: 0 };
      isStarted = true;
      yield* events;
      if (answer.isCut) break;
    }
  } catch (thrown) {
    // The answer is whole: only the end of the stream did not come.
    if (silence.failure === null || !answer.isEnding) throw thrown;
  }
  yield* answer.end();
}

function createKey({ teamId, cacheKey, prompt }: DecodeJob): string {
  const first = prompt.conversation?.messages.map(({ content }) => content).join("\n") ?? "";
  return `${teamId} ${cacheKey ?? first.slice(0, firstCharacters)}`;
}

const tooLong =
  /context_length_exceeded|maximum context|context (?:length|window|size)|prompt is too long|too many (?:input )?tokens/i;
const withheld = /content_filter|content[ _]policy|moderation|safety/i;
const image = /\bimage/i;
/** Fields of requests that a server may refuse. */
const fields = [
  "temperature",
  "top_p",
  "max_tokens",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "parallel_tool_calls",
  "tool_choice",
  "tools",
  "messages",
];

/**
 * The error of a request that a server of texts will not answer: a sentence of Hearth's own by the kind of what the server says.
 * Returns the error of a request that is wrong in itself; null: the server has failed.
 * @param text what the server says: it decides the kind of the error, and never is a part of it, because it may have addresses, keys and
 * parts of other requests. @param cause what the operator reads
 */
function readRefusal(status: number, text: string, cause: Error): HearthError | null {
  if (![400, 404, 413, 422].includes(status)) return null;
  if (status === 404)
    return new HearthError("model_unavailable", "The engine of this model does not have it.", {
      param: "model",
      code: "engine_failed",
      cause,
    });
  if (status === 413 || tooLong.test(text)) return tooLongError(text, cause);
  const refuse = (sentence: string, details: ErrorDetails = {}): HearthError =>
    new HearthError("invalid_value", sentence, { ...details, cause });
  if (withheld.test(text))
    return refuse("The server of this model refuses the request by its rules for contents.");
  const field = refusedField(text);
  if (field !== null) return refuse(`${field}: the server of this model refuses it.`, { param: field });
  if (image.test(text)) return refuse("The server of this model refuses an image of the request.");
  return refuse(`The server of this model refuses the request (${status}).`);
}

function tooLongError(text: string, cause: Error): HearthError {
  const sizes = sizesIn(text);
  const numbers =
    sizes === null
      ? ""
      : `: it takes ${sizes.tokensMax} tokens, and the request has ${sizes.requestedTokens}`;
  return new HearthError(
    "context_length_exceeded",
    `messages: they are too long for the server of this model${numbers}.`,
    { param: "messages", code: "context_length_exceeded", promptSizes: sizes, cause },
  );
}

/** Returns the numbers of the known forms, as of OpenAI, vLLM, llama-server and Anthropic; null: they are not there. */
function sizesIn(text: string): PromptSizes | null {
  const [, tokensMax] =
    /(?:maximum context length (?:is|of)|context (?:size|window)\D{0,20}|> )\s?(\d{1,9})\b/i.exec(text) ?? [];
  const [, requested] =
    /(?:resulted in|requested|request \(|too long: |has) ?(\d{1,9})(?: tokens|\b)/i.exec(text) ?? [];
  if (tokensMax === undefined || requested === undefined) return null;
  return { tokensMax: Number(tokensMax), requestedTokens: Number(requested) };
}

/** Returns the field that the server says is wrong: its `param`, or the only one that it names. */
function refusedField(text: string): string | null {
  const [, param = ""] = /"param"\s*:\s*"(\w{1,40})/.exec(text) ?? [];
  if (fields.includes(param)) return param;
  const named = fields.filter((field) => new RegExp(`\\b${field}\\b`).test(text));
  return named.length === 1 ? (named[0] ?? null) : null;
}

// Requests to servers that are sent texts: the fields of OpenAI's chat completions that most of them have.

/**
 * Returns the body of a request.
 * @throws HearthError `invalid_value` for what no such server is known to do.
 */
function writeChatBody(modelName: string, conversation: Conversation, job: DecodeJob): object {
  refuseUnknown(conversation, job);
  const { sampling, statedSampling: stated = sampling, stop, maxTokens, tools, toolChoice } = job;
  const { format = { type: "text" } } = job;
  const effort = conversation.reasoningEffort;
  return {
    model: modelName,
    messages: conversation.messages.map(writeMessage),
    stream: true,
    stream_options: { include_usage: true },
    temperature: stated.temperature,
    top_p: stated.topP,
    max_tokens: maxTokens ?? undefined,
    stop: stop.length === 0 ? undefined : stop,
    seed: sampling.seed ?? undefined,
    frequency_penalty: stated.frequencyPenalty || undefined,
    presence_penalty: stated.presencePenalty || undefined,
    reasoning_effort: effort === "default" ? undefined : effort,
    response_format: writeResponseFormat(format),
    chat_template_kwargs: conversation.templateVariables,
    ...toolFields(tools, toolChoice),
  };
}

/** @throws HearthError that names the field. */
function refuseUnknown({ prefill }: Conversation, job: DecodeJob): void {
  const { sampling, topLogprobs, deterministic, stopTokens = [], minTokens = 0 } = job;
  const { topK, minP, repeatPenalty = 1, logitBias } = sampling;
  const fields = {
    top_k: topK !== null,
    min_p: minP !== 0,
    repeat_penalty: repeatPenalty !== 1,
    logit_bias: Object.keys(logitBias).length > 0,
    logprobs: topLogprobs !== null,
    deterministic,
    stop_token_ids: stopTokens.length > 0,
    min_tokens: minTokens > 0,
    messages: prefill !== undefined,
  };
  const [field] = Object.entries(fields).find(([, isStated]) => isStated) ?? [];
  if (field === undefined) return;
  const what = field === "messages" ? "a start of the answer" : field;
  throw new HearthError(
    "invalid_value",
    `${field}: ${what} is not supported by this model: its server is sent texts and general fields only.`,
    { param: field },
  );
}

function writeMessage({ role, content, name, toolCalls = [], toolCallId }: Message): object {
  const calls = toolCalls.map(({ id, name: called, arguments: text }) => ({
    id,
    type: "function",
    function: { name: called, arguments: text },
  }));
  return {
    role,
    content: content === "" && calls.length > 0 ? null : content,
    name,
    tool_calls: calls.length === 0 ? undefined : calls,
    tool_call_id: toolCallId,
  };
}

function writeResponseFormat(format: AnswerFormat): object | undefined {
  // A server of texts takes no grammar: the answer is validated here.
  if (format.type === "text" || format.type === "grammar") return undefined;
  if (format.type === "json-object") return { type: "json_object" };
  // Not strict: servers refuse most schemas then, and the answer is validated here.
  return { type: "json_schema", json_schema: { name: "answer", schema: format.schema } };
}

/** Where only some tools may be called, the others are not sent. */
function toolFields(tools: readonly Tool[], { mode, names, parallel }: ToolChoice): object {
  const offered = names === null ? tools : tools.filter(({ name }) => names.includes(name));
  if (offered.length === 0) return {};
  const [only] = offered;
  const isNamed = mode === "required" && names !== null && offered.length === 1;
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    tool_choice: isNamed ? { type: "function", function: { name: only?.name } } : mode,
    parallel_tool_calls: parallel ? undefined : false,
  };
}
