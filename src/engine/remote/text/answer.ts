/** Reads the chunks of a streamed chat completion, and yields the events of an answer. */
import { z } from "zod";
import type { DecodeJob } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { CountedTokens } from "../../../core/requests/counted-tokens.js";
import type { FinishReason, GenerationEvent } from "../../../core/generation.js";
import { engineFailed, saysError } from "../errors.js";
import { isObjectText } from "../../language/tools/call-text.js";
import { readReason, type Server } from "../http.js";
import { estimatedTokens } from "./estimate.js";

const count = z.number().int().min(0);
const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count.optional(),
  prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count.nullish() }).nullish(),
});
const callSchema = z.object({
  index: count.nullish().catch(null),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      /** JSON text, or the object itself. */
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});
const deltaSchema = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
});
const chunkSchema = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        delta: deltaSchema.nullish(),
        /** The whole answer, of a server that does not stream. */
        message: deltaSchema.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish().catch(null),
});
type Call = z.infer<typeof callSchema>;
type Delta = z.infer<typeof deltaSchema>;

/** More than any request has tools for, and within what waits for a slow reader. */
const callsMax = 1_024;

/** A call that the server writes. */
interface OpenCall {
  /** The server's number; null: it has none. */
  readonly number: number | null;
  /** The server's id; empty: it has none. */
  readonly id: string;
  readonly name: string;
  /** The arguments so far. */
  text: string;
  /** Characters of them that were emitted. */
  emitted: number;
  /** Its number in the answer; null: it has not begun, or it is of a tool that must not be called now and is left out. */
  index: number | null;
}

export class TextAnswer {
  readonly #url: string;
  readonly #apiKey: string | null;
  readonly #job: DecodeJob;
  /** Characters and estimated tokens so far, of which events have been emitted. */
  readonly #written = { text: { bytes: 0, tokens: 0 }, reasoning: { bytes: 0, tokens: 0 } };
  #calls = 0;
  /** The call of which events are emitted; null: none. */
  #openCall: OpenCall | null = null;
  /** Calls that have begun while another one was not complete, in order: servers may write several at a time. */
  readonly #waiting: OpenCall[] = [];
  #finish: string | null = null;
  #counted: CountedTokens | null = null;
  #isComplete = false;
  readonly #limits: { readonly text: AnswerLimit; readonly reasoning: AnswerLimit };

  /** @param contextTokens tokens of prompt and answer together */
  constructor({ url, apiKey }: Server, job: DecodeJob, contextTokens: number) {
    this.#url = url;
    this.#apiKey = apiKey;
    this.#job = job;
    const text = new AnswerLimit(Math.min(job.maxTokens ?? contextTokens, contextTokens));
    const reasoning = job.maxTokensExcludesReasoning ? new AnswerLimit(contextTokens) : text;
    this.#limits = { text, reasoning };
  }

  /** Whether the server has said why the answer ends. */
  get isEnding(): boolean {
    return this.#finish !== null;
  }

  /** Whether it was cut, because the server goes on beyond the limit. */
  get isCut(): boolean {
    return this.#limits.text.isReached || this.#limits.reasoning.isReached;
  }

  /** Whether nothing follows: the server has said why it ends, and then how many tokens it has. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** @throws HearthError for an error of the server, and for what is not a chunk. */
  *read(data: unknown): Generator<GenerationEvent, void, undefined> {
    const { data: chunk } = chunkSchema.safeParse(data);
    if (chunk === undefined) throw engineFailed(this.#url, "it sent a chunk that is not understood");
    if (chunk.error !== undefined && chunk.error !== null)
      throw engineFailed(this.#url, saysError, readReason(chunk, this.#apiKey));
    if (chunk.usage) this.#counted = readCounted(chunk.usage);
    const [choice] = chunk.choices ?? [];
    const delta = choice?.delta ?? choice?.message;
    if (delta) yield* this.#readDelta(delta);
    if (typeof choice?.finish_reason === "string") this.#finish = choice.finish_reason;
    this.#isComplete =
      this.isEnding && choice === undefined && chunk.usage !== null && chunk.usage !== undefined;
  }

  /** What the server has counted so far; null: nothing. */
  get counted(): CountedTokens | null {
    return this.#counted;
  }

  /** Ends the answer; its end says where it is not what the request requires. @throws HearthError where the server has not ended it. */
  *end(): Generator<GenerationEvent, void, undefined> {
    const finish = this.isCut ? "length" : this.#finish;
    if (finish === null) throw engineFailed(this.#url, "its answer ended without a reason");
    const isCut = finish === "length";
    if (!isCut) yield* this.#endCalls();
    const finishReason = isCut ? "length" : this.#finishReason(finish);
    const problem = this.#problemIn(finish);
    yield {
      type: "generation-end",
      choice: 0,
      finishReason,
      stopSequence: null,
      counted: this.#counted,
      failure: problem === null ? undefined : invalid(problem),
    };
  }

  /** Returns why an answer that has ended is not what the request requires; null: it may be. */
  #problemIn(finish: string): string | null {
    const { mode, parallel } = this.#job.toolChoice;
    if (finish === "content_filter") return null;
    if (finish !== "length" && mode === "required" && this.#calls === 0) return "it calls no tool";
    return !parallel && this.#calls > 1 ? "it calls several tools" : null;
  }

  #finishReason(finish: string): FinishReason {
    if (finish === "content_filter") return finish;
    return this.#calls > 0 ? "tool_calls" : "stop";
  }

  *#readDelta(delta: Delta): Generator<GenerationEvent, void, undefined> {
    const reasoning = this.#limits.reasoning.admit(delta.reasoning_content ?? delta.reasoning ?? "");
    if (reasoning !== "")
      yield {
        type: "reasoning-delta",
        choice: 0,
        text: reasoning,
        tokens: this.#count("reasoning", reasoning),
      };
    const text = this.#limits.text.admit((delta.content ?? "") + (delta.refusal ?? ""));
    if (text !== "") yield { type: "text-delta", choice: 0, text, tokens: this.#count("text", text) };
    for (const call of delta.tool_calls ?? []) {
      if (this.isCut) return;
      yield* this.#readCall(call);
    }
  }

  /** Takes a piece of a call: of the one that it names, or of a new one. Events are emitted of one call after the other. */
  *#readCall(piece: Call): Generator<GenerationEvent, void, undefined> {
    const name = piece.function?.name ?? "";
    const given = piece.function?.arguments ?? "";
    const text = this.#limits.text.admit(typeof given === "string" ? given : JSON.stringify(given));
    const known = this.#findCall(piece, name);
    if (known !== null) {
      known.text += text;
      if (known === this.#openCall) yield* this.#emitArguments(known);
      return;
    }
    this.#limits.text.admit(` ${name} `);
    if (this.isCut) return;
    this.#waiting.push({
      number: piece.index ?? null,
      id: piece.id ?? "",
      name,
      text,
      emitted: 0,
      index: null,
    });
    yield* this.#openNext();
  }

  /** Returns the call that a piece belongs to; null: it begins one. */
  #findCall({ index, id }: Call, name: string): OpenCall | null {
    const open = [...this.#waiting, ...(this.#openCall === null ? [] : [this.#openCall])];
    const last = this.#waiting.at(-1) ?? this.#openCall;
    const named = id == null || id === "" ? undefined : open.find((call) => call.id === id);
    if (named !== undefined) return named;
    const numbered = index == null ? last : (open.findLast((call) => call.number === index) ?? null);
    if (numbered === null) return null;
    // Some servers number all calls alike: another id, or a name after whole arguments, begins the next one.
    const isNext = id != null && id !== "" && numbered.id !== "";
    const isAnother = name !== "" && (index == null || isObjectText(numbered.text));
    return isNext || isAnother ? null : numbered;
  }

  /** Begins to emit the calls that wait, as far as those before them are complete. */
  *#openNext(): Generator<GenerationEvent, void, undefined> {
    for (;;) {
      const open = this.#openCall;
      const [next] = this.#waiting;
      if (next === undefined || (open !== null && !isObjectText(open.text))) return;
      yield* this.#endCall();
      this.#waiting.shift();
      yield* this.#startCall(next);
      yield* this.#emitArguments(next);
    }
  }

  *#startCall(call: OpenCall): Generator<GenerationEvent, void, undefined> {
    const { tools, toolChoice, callIdPrefix } = this.#job;
    const { name } = call;
    this.#openCall = call;
    if (toolChoice.withheld?.some((tool) => tool.name === name) === true) return;
    const mayCall = toolChoice.mode !== "none" && (toolChoice.names?.includes(name) ?? true);
    if (!mayCall || !tools.some((tool) => tool.name === name))
      throw invalid(`it calls '${name.slice(0, 100)}', which is not one of the tools that it may call`);
    if (this.#calls >= callsMax) throw invalid(`it has more than ${callsMax} calls`);
    const index = this.#calls;
    call.index = index;
    this.#calls += 1;
    const tokens = this.#count("text", name);
    yield { type: "tool-call-start", choice: 0, index, id: `${callIdPrefix}${index}`, name, tokens };
  }

  *#emitArguments(call: OpenCall): Generator<GenerationEvent, void, undefined> {
    const text = call.text.slice(call.emitted);
    if (call.index === null || text === "") return;
    call.emitted = call.text.length;
    const tokens = this.#count("text", text);
    yield { type: "tool-call-delta", choice: 0, index: call.index, arguments: text, tokens };
  }

  /** Emits what waits, complete or not. */
  *#endCalls(): Generator<GenerationEvent, void, undefined> {
    yield* this.#endCall();
    for (const call of this.#waiting.splice(0)) {
      yield* this.#startCall(call);
      yield* this.#emitArguments(call);
      yield* this.#endCall();
    }
  }

  *#endCall(): Generator<GenerationEvent, void, undefined> {
    const call = this.#openCall;
    this.#openCall = null;
    if (call === null || call.index === null) return;
    const at = { choice: 0, index: call.index, tokens: 0 } as const;
    if (call.text === "") yield { type: "tool-call-delta", ...at, arguments: "{}" };
    yield { type: "tool-call-end", ...at };
  }

  /** @returns the estimated tokens that a text adds */
  #count(part: "text" | "reasoning", text: string): number {
    const written = this.#written[part];
    written.bytes += Buffer.byteLength(text);
    const before = written.tokens;
    written.tokens = estimatedTokens(written.bytes);
    return this.#limits[part].count(written.tokens - before);
  }
}

/** Most servers count the tokens of the reasoning among the tokens of the answer; the sum says which do not. */
function readCounted(usage: z.infer<typeof usageSchema>): CountedTokens {
  const { prompt_tokens: promptTokens, completion_tokens: all, total_tokens: total } = usage;
  const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const isApart = reasoningTokens > 0 && total === promptTokens + all + reasoningTokens;
  return {
    promptTokens,
    cachedTokens: Math.min(promptTokens, usage.prompt_tokens_details?.cached_tokens ?? 0),
    completionTokens: isApart ? all : Math.max(0, all - reasoningTokens),
    reasoningTokens,
  };
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_output", `The model's answer is not what was asked for: ${problem}.`);
}

/** UTF-8 bytes of a token, on average over an answer: English text has 4 to 5. */
const bytesPerTokenMax = 8;
/** More bytes of an answer, since a few tokens may be long. */
const bytesMore = 128;

/**
 * Bounds an answer by the tokens that it may have, where the tokens are not known. No tokenizer in use has tokens that span words,
 * so that a text has as many tokens as words, or more. Text without spaces is bounded by its bytes, generously: an answer of a
 * server that keeps the limit is never cut.
 */
class AnswerLimit {
  #wordsLeft: number;
  #bytesLeft: number;
  #countedLeft: number;
  #isInWord = false;
  #isReached = false;

  /** @param tokensMax the most tokens that the answer may have */
  constructor(tokensMax: number) {
    this.#wordsLeft = tokensMax;
    this.#countedLeft = tokensMax;
    this.#bytesLeft = tokensMax * bytesPerTokenMax + bytesMore;
  }

  /** Whether a text was cut. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Counts a text. @returns as much of it as the answer may have */
  admit(text: string): string {
    if (this.#isReached) return "";
    const words = this.#admitWords(text);
    const bytes = Buffer.byteLength(words);
    const admitted = bytes <= this.#bytesLeft ? words : cutBytes(words, this.#bytesLeft);
    this.#bytesLeft -= Buffer.byteLength(admitted);
    this.#isReached = admitted.length < text.length;
    return admitted;
  }

  /** Counts estimated tokens. @returns as many of them as the answer may have */
  count(tokens: number): number {
    const counted = Math.min(tokens, this.#countedLeft);
    this.#countedLeft -= counted;
    return counted;
  }

  #admitWords(text: string): string {
    for (const { index } of text.matchAll(/\S+/gu)) {
      if (index === 0 && this.#isInWord) continue;
      if (this.#wordsLeft === 0) return text.slice(0, index).trimEnd();
      this.#wordsLeft -= 1;
    }
    if (text !== "") this.#isInWord = /\S$/u.test(text);
    return text;
  }
}

/** Returns the longest beginning of a text with this number of UTF-8 bytes that ends with a whole character. */
function cutBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
