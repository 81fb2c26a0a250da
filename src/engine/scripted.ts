/**
 * The test engine: the engine port without a model. A script says what to answer to which prompt; a test holds the answer at
 * a gate, lets it fail, and reads what was asked of the engine. Tokens are words with the white space before them, numbered
 * in the order they are first seen; nothing depends on time. A transcript is read token by token by what reads a real model's
 * answers; no grammar holds it to anything. It keeps every promise of the port: prompts that do not fit are refused,
 * `maxTokens` ends an answer, an aborted stream ends without `generation-end`.
 */
import type {
  Conversation,
  DecodeJob,
  Engine,
  LoadedModel,
  Prompt,
  ResidentModel,
  TextToken,
} from "../core/engine.js";
import { HearthError } from "../core/errors.js";
import type { FinishReason, GenerationEvent, Message, RawPrompt } from "../core/generation.js";
import type { Model } from "../core/model.js";
import { Answer } from "./llama/answer/answer.js";
import { reasoningMarksOf } from "./llama/answer/reasoning.js";
import { toolFormatOf } from "./llama/tools/format.js";
import { createWords, splitWords } from "./words.js";

/** The rest of an answer as a model samples it, marks of reasoning and calls included. */
export interface Transcript {
  readonly type: "transcript";
  /** The chat template in whose conventions it is written. */
  readonly template: string;
  /** Bytes of each token. */
  readonly tokens: readonly Uint8Array[];
}

/**
 * One step of an answer: a text to say (one delta, as many tokens as it has words), an event as it stands, a transcript, a
 * promise to wait for, or an error to fail with. An answer that tells of no end of its own ends with `stop`.
 */
export type ScriptStep = string | GenerationEvent | Transcript | Promise<unknown> | Error;

/**
 * What to answer to a prompt; the prompt is one `role: content` line per message, a raw one its text as it is, with `[gap]`
 * where an answer leads up to a suffix.
 */
export type Script = (prompt: string, job: DecodeJob) => Iterable<ScriptStep>;

export interface ScriptedOptions {
  /** Tokens of prompt and answer together; 256 when absent. */
  readonly contextTokens?: number;
  /** Generations side by side; 2 when absent. */
  readonly slots?: number;
  /** Prompt tokens said to be found evaluated, of each prompt that is long enough; 0 when absent. */
  readonly cachedTokens?: number;
  /** Whether answers that call tools are told as they come, unjudged; true when absent. */
  readonly callsAreExact?: boolean;
  /** Runs inside the first load of each model: wait in it, or throw. */
  readonly onLoad?: (model: Model) => Promise<void>;
}

export interface ScriptedEngine extends Engine {
  /** Ids of the models that were loaded, in order. */
  readonly loaded: readonly string[];
  /** Runs that hold a model now. */
  readonly leases: number;
  /** Every job that was begun. */
  readonly jobs: readonly DecodeJob[];
  /** Generations running now. */
  readonly active: number;
  /** Generations that ended because they were aborted. */
  readonly aborted: number;
}

/** A transcript of a text, cut into tokens of so many bytes, wherever its characters end. */
export function transcript(template: string, answer: string, tokenBytes = 1): Transcript {
  const bytes = new TextEncoder().encode(answer);
  const tokens = Array.from({ length: Math.ceil(bytes.length / tokenBytes) }, (_, at) =>
    bytes.subarray(at * tokenBytes, (at + 1) * tokenBytes),
  );
  return { type: "transcript", template, tokens };
}

/** Builds the test engine over a script. */
export function createScriptedEngine(script: Script, options: ScriptedOptions = {}): ScriptedEngine {
  return new Scripted(script, options);
}

class Scripted implements ScriptedEngine {
  readonly loaded: string[] = [];
  readonly jobs: DecodeJob[] = [];
  leases = 0;
  active = 0;
  aborted = 0;
  readonly #script: Script;
  readonly #contextTokens: number;
  readonly #slots: number;
  readonly #cachedTokens: number;
  readonly #callsAreExact: boolean;
  readonly #onLoad: ((model: Model) => Promise<void>) | undefined;
  readonly #loading = new Map<string, Promise<void>>();
  readonly #words = createWords();

  constructor(script: Script, options: ScriptedOptions) {
    const { contextTokens = 256, slots = 2, cachedTokens = 0, callsAreExact = true, onLoad } = options;
    this.#script = script;
    this.#contextTokens = contextTokens;
    this.#slots = slots;
    this.#cachedTokens = cachedTokens;
    this.#callsAreExact = callsAreExact;
    this.#onLoad = onLoad;
  }

  async load(model: Model): Promise<LoadedModel> {
    const { id } = model.manifest;
    const first =
      this.#loading.get(id) ?? Promise.resolve(this.#onLoad?.(model)).then(() => void this.loaded.push(id));
    this.#loading.set(id, first);
    await first;
    this.leases += 1;
    const release = once(() => (this.leases -= 1));
    return {
      contextTokens: this.#contextTokens,
      slots: this.#slots,
      callsAreExact: this.#callsAreExact,
      release,
    };
  }

  prompt(_model: Model, source: Conversation | RawPrompt): Promise<Prompt> {
    const raw = "prompt" in source ? this.#textOf(source) : null;
    const gap = "prompt" in source && source.suffix !== null ? `[gap]${source.suffix}` : "";
    const text = "prompt" in source ? `${raw}${gap}` : render(source.messages, source.prefill);
    const tokens = this.#words.encode(text);
    if (tokens.length >= this.#contextTokens)
      return Promise.reject(
        tooLong(this.#contextTokens - 1, tokens.length, raw === null ? "messages" : "prompt"),
      );
    const prompt = { tokens, startsInReasoning: false };
    return Promise.resolve(raw === null ? prompt : { ...prompt, rawText: raw });
  }

  #textOf({ prompt }: RawPrompt): string {
    return typeof prompt === "string" ? prompt : this.#words.decode(Uint32Array.from(prompt));
  }

  tokenize(_model: Model, text: string): Promise<readonly TextToken[]> {
    const ids = this.#words.encode(text);
    return Promise.resolve(
      Array.from(ids, (id) => ({ id, bytes: [...Buffer.from(this.#words.decode(Uint32Array.of(id)))] })),
    );
  }

  async *generate(_model: Model, job: DecodeJob, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    if (this.active >= this.#slots) throw new Error(`more than ${this.#slots} generations at a time`);
    this.active += 1;
    this.jobs.push(job);
    try {
      const promptTokens = job.prompt.tokens.length;
      const budget = this.#contextTokens - promptTokens;
      const cachedTokens = Math.min(this.#cachedTokens, promptTokens - 1);
      yield { type: "generation-start", promptTokens, cachedTokens };
      yield* play(this.#script(this.#words.decode(job.prompt.tokens), job), job, budget, signal);
      if (signal.aborted) this.aborted += 1;
    } finally {
      this.active -= 1;
    }
  }

  residents(): readonly ResidentModel[] {
    const each = { bytes: 0, device: "cpu", contextTokens: this.#contextTokens, slots: this.#slots };
    return this.loaded.map((id) => ({ ...each, id, loadedAt: 0, until: null }));
  }

  close(): Promise<void> {
    this.#loading.clear();
    return Promise.resolve();
  }
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

async function* play(
  steps: Iterable<ScriptStep>,
  job: DecodeJob,
  budget: number,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent, void, undefined> {
  let left = Math.min(job.maxTokens ?? Infinity, budget);
  let cut = false;
  for (const step of steps) {
    if (step instanceof Error) throw step;
    if (step instanceof Promise) await unlessAborted(step, signal);
    if (signal.aborted) return;
    if (step instanceof Promise) continue;
    if (typeof step !== "string" && step.type === "transcript") return yield* read(step, job, budget, signal);
    const event = typeof step === "string" ? say(step) : step;
    if (event.type !== "text-delta" && event.type !== "reasoning-delta") {
      yield event;
      if (event.type === "generation-end") return;
      continue;
    }
    cut = event.tokens > left;
    if (cut) break;
    left -= event.tokens;
    yield event;
  }
  if (signal.aborted) return;
  yield { type: "generation-end", choice: 0, finishReason: cut ? "length" : "stop", stopSequence: null };
}

function say(text: string): GenerationEvent {
  return { type: "text-delta", choice: 0, text, tokens: splitWords(text).length };
}

/** Tells a transcript as the real engine tells what it samples, and ends where it would. */
function* read(
  { template, tokens }: Transcript,
  job: DecodeJob,
  budget: number,
  signal: AbortSignal,
): Generator<GenerationEvent, void, undefined> {
  const { tools, stop, callIdPrefix, maxTokens, maxTokensExcludesReasoning } = job;
  const format = toolFormatOf(template);
  const answer = new Answer({
    marks: format.readsReasoning ? null : reasoningMarksOf(template),
    startsInReasoning: job.prompt.startsInReasoning,
    stop,
    parser: tools.length > 0 || format.readsReasoning ? format.parser(tools) : null,
    callIdPrefix,
  });
  let finishReason: FinishReason = "stop";
  let visible = 0;
  for (const [index, bytes] of tokens.entries()) {
    if (signal.aborted) return;
    yield* answer.push(bytes, null);
    if (answer.mode !== "reasoning" || !maxTokensExcludesReasoning) visible += 1;
    if (answer.stoppedBy !== null) break;
    if (index + 1 < budget && visible < (maxTokens ?? Infinity)) continue;
    finishReason = "length";
    break;
  }
  yield* answer.finish();
  if (finishReason === "stop" && answer.calls > 0) finishReason = "tool_calls";
  const { stoppedBy } = answer;
  const reason = stoppedBy === null ? finishReason : "stop_sequence";
  yield { type: "generation-end", choice: 0, finishReason: reason, stopSequence: stoppedBy };
}

/** Waits for the gate or the abort, whichever comes first; rejects as the gate does. */
async function unlessAborted(gate: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener("abort", onAbort, { once: true });
  });
  await Promise.race([gate, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

function render(messages: readonly Message[], prefill?: string): string {
  const answer = prefill === undefined ? "assistant:" : `assistant: ${prefill}`;
  return [...messages.map(({ role, content }) => `${role}: ${content}`), answer].join("\n");
}

function tooLong(limit: number, asked: number, param: "messages" | "prompt"): HearthError {
  return new HearthError(
    "context_length_exceeded",
    `This model's maximum prompt length is ${limit} but the request contains ${asked} tokens.`,
    { param, code: "context_length_exceeded" },
  );
}
