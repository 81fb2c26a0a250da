/**
 * The test engine: the engine port without a model. A script says what to answer to which prompt; a test holds the answer at
 * a gate, lets it fail, and reads what was asked of the engine. Tokens are words with the white space before them, numbered
 * in the order they are first seen; nothing depends on time. It keeps every promise of the port: prompts that do not fit are
 * refused, `maxTokens` ends an answer, an aborted stream ends without `generation-end`.
 */
import type { Conversation, DecodeJob, Engine, LoadedModel, Prompt, ResidentModel } from "../core/engine.js";
import { HearthError } from "../core/errors.js";
import type { GenerationEvent, Message } from "../core/generation.js";
import type { Model } from "../core/model.js";

/**
 * One step of an answer: a text to say (one delta, as many tokens as it has words), an event as it stands, a promise to wait
 * for, or an error to fail with. An answer that tells of no end of its own ends with `stop`.
 */
export type ScriptStep = string | GenerationEvent | Promise<unknown> | Error;

/** What to answer to a prompt; the prompt is one `role: content` line per message. */
export type Script = (prompt: string, job: DecodeJob) => Iterable<ScriptStep>;

export interface ScriptedOptions {
  /** Tokens of prompt and answer together; 256 when absent. */
  readonly contextTokens?: number;
  /** Generations side by side; 2 when absent. */
  readonly slots?: number;
  /** Prompt tokens said to be found evaluated, of each prompt that is long enough; 0 when absent. */
  readonly cachedTokens?: number;
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
  readonly #onLoad: ((model: Model) => Promise<void>) | undefined;
  readonly #loading = new Map<string, Promise<void>>();
  readonly #words = createWords();

  constructor(script: Script, { contextTokens = 256, slots = 2, cachedTokens = 0, onLoad }: ScriptedOptions) {
    this.#script = script;
    this.#contextTokens = contextTokens;
    this.#slots = slots;
    this.#cachedTokens = cachedTokens;
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
    return { contextTokens: this.#contextTokens, slots: this.#slots, callsAreExact: true, release };
  }

  prompt(_model: Model, { messages }: Conversation): Promise<Prompt> {
    const tokens = this.#words.encode(render(messages));
    if (tokens.length >= this.#contextTokens)
      return Promise.reject(tooLong(this.#contextTokens - 1, tokens.length));
    return Promise.resolve({ tokens, startsInReasoning: false });
  }

  async *generate(_model: Model, job: DecodeJob, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    if (this.active >= this.#slots) throw new Error(`more than ${this.#slots} generations at a time`);
    this.active += 1;
    this.jobs.push(job);
    try {
      const promptTokens = job.prompt.tokens.length;
      const budget = Math.min(job.maxTokens ?? Infinity, this.#contextTokens - promptTokens);
      const cachedTokens = Math.min(this.#cachedTokens, promptTokens - 1);
      yield { type: "generation-start", promptTokens, cachedTokens };
      yield* play(this.#script(this.#words.decode(job.prompt.tokens), job), budget, signal);
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
  budget: number,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent, void, undefined> {
  let left = budget;
  let cut = false;
  for (const step of steps) {
    if (step instanceof Error) throw step;
    if (step instanceof Promise) await unlessAborted(step, signal);
    if (signal.aborted) return;
    if (step instanceof Promise) continue;
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
  return { type: "text-delta", choice: 0, text, tokens: split(text).length };
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

function render(messages: readonly Message[]): string {
  return [...messages.map(({ role, content }) => `${role}: ${content}`), "assistant:"].join("\n");
}

function tooLong(limit: number, asked: number): HearthError {
  return new HearthError(
    "context_length_exceeded",
    `This model's maximum prompt length is ${limit} but the request contains ${asked} tokens.`,
    { param: "messages", code: "context_length_exceeded" },
  );
}

function split(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

interface Words {
  encode(text: string): Uint32Array;
  decode(tokens: Uint32Array): string;
}

function createWords(): Words {
  const ids = new Map<string, number>();
  const texts: string[] = [];
  const idOf = (word: string): number => {
    const known = ids.get(word);
    if (known !== undefined) return known;
    ids.set(word, texts.length);
    return texts.push(word) - 1;
  };
  return {
    encode: (text) => Uint32Array.from(split(text), idOf),
    decode: (tokens) => Array.from(tokens, (id) => texts[id] ?? "").join(""),
  };
}
