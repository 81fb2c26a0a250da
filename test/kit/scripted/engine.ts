/**
 * The scripted engine: the engine port without a model, for tests. A script returns the answer to a prompt; a test can pause the
 * answer with a promise, let it fail, and read the jobs that the engine received. Tokens are words with the white space before them,
 * numbered in order of first use; nothing depends on time. A transcript is parsed token by token, as a real model's answer is, but
 * without grammars. It keeps the guarantees of the port: prompts that do not fit are rejected, `maxTokens` ends an answer, an aborted
 * stream ends without `generation-end`.
 */
import type {
  Conversation,
  DecodeJob,
  Engine,
  LoadedModel,
  Prompt,
  ResidentModel,
  TextToken,
} from "../../../src/core/engine.js";
import type { EngineEvent, GenerationEvent, Message, RawPrompt } from "../../../src/core/generation.js";
import type { Model } from "../../../src/core/model.js";
import { promptTooLong } from "../../../src/engine/language/prompt/context-length.js";
import { readTranscript, type Transcript } from "./transcript.js";
import { createScriptedVocabulary, splitWords } from "./vocabulary.js";

/**
 * One step of an answer: a text (one delta, one token per word), an event to emit unchanged, a transcript, a promise to wait for, or an
 * error to fail with. An answer without an explicit `generation-end` ends with `stop`.
 */
export type ScriptStep = string | GenerationEvent | Transcript | Promise<unknown> | Error;

/**
 * Returns the answer to a prompt. The prompt has one `role: content` line per message; a raw prompt is its text unchanged, with `[gap]`
 * before the suffix if there is one.
 */
export type Script = (prompt: string, job: DecodeJob) => Iterable<ScriptStep>;

export interface ScriptedOptions {
  /** Tokens of prompt and answer together; 256 when absent. */
  readonly contextTokens?: number;
  /** What it says of its vocabulary; absent: nothing. */
  readonly vocabularyTokens?: number;
  /** Generations that may run at the same time; 2 when absent. */
  readonly slots?: number;
  /** As in LoadedModel, with the id of the model after it; absent: none. */
  readonly sharedAs?: string;
  /** Prompt tokens reported as cached, for each prompt that is long enough; 0 when absent. */
  readonly cachedTokens?: number;
  /** Prompt tokens that are evaluated when an answer is aborted before its first event; all when absent. */
  readonly evaluatedTokens?: number;
  /** Whether tool calls are streamed without validation; true when absent. */
  readonly callsAreExact?: boolean;
  /** Runs inside the first load of each model: wait in it, or throw. */
  readonly onLoad?: (model: Model) => Promise<void>;
}

export interface ScriptedEngine extends Engine {
  /** Ids of the models that were loaded, in order. */
  readonly loaded: readonly string[];
  /** Leases that are currently held. */
  readonly leases: number;
  /** Every job that was started. */
  readonly jobs: readonly DecodeJob[];
  /** Generations that are currently running. */
  readonly active: number;
  /** Generations that ended because they were aborted. */
  readonly aborted: number;
}

/** Creates a scripted engine. */
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
  readonly #sharedAs: string | undefined;
  readonly #vocabularyTokens: number | undefined;
  readonly #cachedTokens: number;
  readonly #evaluatedTokens: number;
  readonly #callsAreExact: boolean;
  readonly #onLoad: ((model: Model) => Promise<void>) | undefined;
  readonly #loading = new Map<string, Promise<void>>();
  readonly #vocabulary = createScriptedVocabulary();

  constructor(script: Script, options: ScriptedOptions) {
    const { contextTokens = 256, slots = 2, cachedTokens = 0, callsAreExact = true, onLoad } = options;
    this.#script = script;
    this.#contextTokens = contextTokens;
    this.#slots = slots;
    this.#sharedAs = options.sharedAs;
    this.#vocabularyTokens = options.vocabularyTokens;
    this.#cachedTokens = cachedTokens;
    this.#evaluatedTokens = options.evaluatedTokens ?? Infinity;
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
      ...(this.#sharedAs === undefined ? {} : { sharedAs: `${this.#sharedAs} ${id}` }),
      callsAreExact: this.#callsAreExact,
      vocabularyTokens: this.#vocabularyTokens,
      release,
    };
  }

  prompt(_model: Model, source: Conversation | RawPrompt): Promise<Prompt> {
    const raw = "prompt" in source ? this.#textOf(source) : null;
    const gap = "prompt" in source && source.suffix !== null ? `[gap]${source.suffix}` : "";
    const text = "prompt" in source ? `${raw}${gap}` : render(source.messages, source.prefill);
    const tokens = this.#vocabulary.encode(text);
    if (tokens.length >= this.#contextTokens)
      return Promise.reject(
        promptTooLong(this.#contextTokens, tokens.length, raw === null ? "messages" : "prompt"),
      );
    const prompt = { tokens, startsInReasoning: false };
    return Promise.resolve(raw === null ? prompt : { ...prompt, rawText: raw });
  }

  #textOf({ prompt }: RawPrompt): string {
    return typeof prompt === "string" ? prompt : this.#vocabulary.decode(Uint32Array.from(prompt));
  }

  tokenize(_model: Model, text: string): Promise<readonly TextToken[]> {
    const ids = this.#vocabulary.encode(text);
    return Promise.resolve(
      Array.from(ids, (id) => ({ id, bytes: [...Buffer.from(this.#vocabulary.decode(Uint32Array.of(id)))] })),
    );
  }

  async *generate(_model: Model, job: DecodeJob, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    if (this.active >= this.#slots) throw new Error(`more than ${this.#slots} generations at a time`);
    this.active += 1;
    this.jobs.push(job);
    try {
      const promptTokens = job.prompt.tokens.length;
      const budget = this.#contextTokens - promptTokens;
      const cachedTokens = Math.min(this.#cachedTokens, promptTokens - 1);
      yield { type: "generation-start", promptTokens, cachedTokens };
      let isEvaluated = false;
      const steps = this.#script(this.#vocabulary.decode(job.prompt.tokens), job);
      for await (const event of playSteps(steps, job, budget, signal)) {
        isEvaluated = true;
        yield event;
      }
      if (!signal.aborted) return;
      this.aborted += 1;
      const evaluatedTokens = Math.min(this.#evaluatedTokens, promptTokens);
      if (!isEvaluated && evaluatedTokens < promptTokens)
        yield { type: "prompt-cut", choice: 0, evaluatedTokens };
    } finally {
      this.active -= 1;
    }
  }

  residents(): readonly ResidentModel[] {
    const each = { bytes: 0, device: "cpu", contextTokens: this.#contextTokens, slots: this.#slots };
    return this.loaded.map((id) => ({ ...each, id, loadedAt: 0, until: null }));
  }

  problem(): string | null {
    return null;
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

async function* playSteps(
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
    if (typeof step !== "string" && step.type === "transcript")
      return yield* readTranscript(step, job, budget, signal);
    const event = typeof step === "string" ? textDelta(step) : step;
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

function textDelta(text: string): GenerationEvent {
  return { type: "text-delta", choice: 0, text, tokens: splitWords(text).length };
}

/** Waits for the promise or the abort, whichever comes first; rejects if the promise does. */
async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener("abort", onAbort, { once: true });
  });
  await Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

function render(messages: readonly Message[], prefill?: string): string {
  const answer = prefill === undefined ? "assistant:" : `assistant: ${prefill}`;
  return [...messages.map(({ role, content }) => `${role}: ${content}`), answer].join("\n");
}
