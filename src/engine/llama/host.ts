/**
 * The models of this process, in the thread of text models: owns every loaded one, answers the calls of engine.ts and passes jobs to the
 * tick loop.
 */
import type { Llama } from "node-llama-cpp";
import type { HearthError } from "../../core/errors.js";
import { loadKey, type Model } from "../../core/model.js";
import { describeLanguage, type ModelLanguage } from "../language/language.js";
import type { TextModelInfo } from "../language/protocol.js";
import type { OpenRenderer } from "../language/renderer/renderer.js";
import type { SeededJob } from "../language/seeded-job.js";
import { ResidentMap } from "../memory/resident-map.js";
import { boundGrammarWork } from "../native/grammar-work.js";
import { plainLoading } from "../native/plain-weights.js";
import type { WorkerCall } from "../worker/host.js";
import type { CallNews } from "../worker/protocol.js";
import { PrefixStore } from "./decode/prefix-store.js";
import { TickLoop } from "./decode/tick.js";
import { loadEmbedder, type LoadedEmbedder } from "./embed/embedder.js";
import type { RunPiece } from "./embed/pooled-context.js";
import { withLoadSettings } from "./load/load-settings.js";
import { countContextTokens, isLong, createLongForm } from "./load/long-context.js";
import { loadResident, type Resident } from "./load/resident.js";
import { openMediaSupport } from "./media/open-projector.js";
import type { JobUpdate, LlamaSettings } from "./protocol.js";
import { StepWatch } from "./step-watch.js";
import { threadChooser, type ChooseThreads } from "./threads/choose-threads.js";

interface LlamaHostOptions {
  readonly settings: LlamaSettings;
  /** Returns the library, which is loaded after this host is created. */
  readonly openLibrary: () => Promise<Llama>;
  readonly openRenderer: OpenRenderer;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Takes the events of generations, by the id of their call. */
  readonly reportNews: (news: readonly CallNews[]) => void;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** A job in the tick loop, whose id is its call's. */
interface RunningJob {
  readonly resolve: () => void;
  readonly reject: (error: HearthError) => void;
}

export class LlamaHost {
  readonly #options: LlamaHostOptions;
  readonly #steps: StepWatch;
  readonly #ticks: TickLoop;
  readonly #jobs = new Map<number, RunningJob>();
  readonly #residents: ResidentMap<Resident>;
  /** Forms of the residents for long prompts. */
  readonly #longForms: ResidentMap<Resident>;
  readonly #embedders: ResidentMap<LoadedEmbedder>;

  /** Loads the native libraries that have to precede the engine's own. */
  constructor(options: LlamaHostOptions) {
    this.#options = options;
    const { settings, openLibrary, openRenderer, now } = options;
    this.#steps = new StepWatch(now);
    const ticking = { tokenGapMsMax: settings.tokenGapMsMax, store: openStore(options), now };
    this.#ticks = new TickLoop(ticking, (updates) => this.#report(updates));
    const media = openMediaSupport(settings.nativeFolder);
    const { hooks } = media;
    if (hooks.type === "loaded") hooks.exports.keepThreads(settings.keepsThreads);
    const loadPlainly = plainLoading(settings.nativeFolder);
    boundGrammarWork(settings.nativeFolder);
    const chooseThreads = this.#openThreadChooser(hooks.type === "loaded" && settings.keepsThreads);
    const deps = { openRenderer, chooseThreads, loadPlainly, media, steps: this.#steps };
    const loadForm = async (model: Model): Promise<Resident> =>
      loadResident(await openLibrary(), model, settings, deps);
    this.#residents = new ResidentMap(loadForm);
    this.#longForms = new ResidentMap(loadForm);
    this.#embedders = new ResidentMap(async (model) =>
      loadEmbedder(await openLibrary(), model, settings, { loadPlainly, hooks }),
    );
  }

  /** Whether native code hangs on another thread. */
  get isStuck(): boolean {
    return this.#steps.isStuck;
  }

  async load(model: Model): Promise<TextModelInfo> {
    const { settings } = this.#options;
    const { slotsPerModel: slots } = withLoadSettings(settings, model.load);
    if (model.manifest.kind !== "chat") {
      const { contextTokens, device, dimensions } = await this.#embedders.load(model);
      return { contextTokens, slots, device, dimensions, templateRepairs: [], callsAreExact: true };
    }
    const resident = await this.#residents.load(model);
    const { device, projector, projectorProblem } = resident;
    const info = {
      ...describeLanguage(resident),
      slots,
      device,
      reads: projector?.reads,
      projectorProblem: projectorProblem ?? undefined,
    };
    const isTwofold = createLongForm(model, settings) !== null;
    return isTwofold ? { ...info, contextTokens: countContextTokens(model, settings) } : info;
  }

  /** @param key the load key of a loaded chat model */
  language(key: string): ModelLanguage {
    return this.#residents.get(key);
  }

  /** @param key the load key of a loaded model that embeds or scores */
  inputs(key: string): LoadedEmbedder {
    return this.#embedders.get(key);
  }

  /** Runs a job in the form of the model for prompts of its length. Resolves when its slot is free. */
  generate(key: string, decode: SeededJob, call: WorkerCall): Promise<void> {
    const resident = this.#residents.get(key);
    const isOfLongForm = isLong(resident.model, decode.prompt.tokens.length);
    const long = isOfLongForm ? createLongForm(resident.model, this.#options.settings) : null;
    if (long === null) return this.#submit(resident, decode, call);
    return this.#longForms
      .load(long)
      .then((loaded) => (call.signal.aborted ? undefined : this.#submit(loaded, decode, call)));
  }

  /** Evaluates inputs one after the other, piece by piece between the ticks of running generations. */
  async embed(
    key: string,
    inputs: readonly Uint32Array[],
    { signal }: WorkerCall,
  ): Promise<readonly Float32Array[]> {
    const embedder = this.#embedders.get(key);
    const vectors: Float32Array[] = [];
    const runPiece: RunPiece = (work) => {
      signal.throwIfAborted();
      return this.#ticks.runBetween(work);
    };
    for (const tokens of inputs) vectors.push(await embedder.evaluate(tokens, runPiece));
    return vectors;
  }

  /** Unloads a model, if it is here. No job may be running on it. */
  async unload(key: string): Promise<void> {
    await this.#embedders.take(key)?.dispose();
    const leaving = this.#residents.take(key);
    if (leaving === undefined) return;
    const long = createLongForm(leaving.model, this.#options.settings);
    for (const form of [leaving, long === null ? undefined : this.#longForms.take(loadKey(long))]) {
      if (form === undefined) continue;
      await this.#ticks.releaseModel(form);
      await form.dispose();
    }
  }

  async close(): Promise<void> {
    await this.#ticks.drain();
    await this.#residents.disposeAll();
    await this.#longForms.disposeAll();
    await this.#embedders.disposeAll();
  }

  /** The job is submitted synchronously, so that an abort can never be handled before it. */
  #submit(resident: Resident, decode: SeededJob, { id, signal }: WorkerCall): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#jobs.set(id, { resolve, reject });
      this.#ticks.submit(resident, id, decode);
      signal.addEventListener("abort", () => this.#ticks.cancel(id), { once: true });
    });
  }

  /** Reports the updates of one tick in one message, and ends the calls of jobs that have ended. */
  #report(updates: readonly JobUpdate[]): void {
    this.#options.reportNews(updates.map(({ job, events: news }) => ({ id: job, news })));
    for (const { job, error, done } of updates) {
      if (!done) continue;
      const running = this.#jobs.get(job);
      this.#jobs.delete(job);
      if (error === null) running?.resolve();
      else running?.reject(error);
    }
  }

  #openThreadChooser(keepsThreads: boolean): ChooseThreads | null {
    const { settings, now } = this.#options;
    const { threadPlansFile, cores } = settings;
    if (threadPlansFile === null) return null;
    return threadChooser({
      plansFile: threadPlansFile,
      cores,
      keepsThreads,
      runBetween: (work) => this.#ticks.runBetween(work),
      now,
      occupyThread(ms) {
        const endsAt = now() + ms;
        while (now() < endsAt);
      },
    });
  }
}

/** Opens the prefix cache; null when there is none or it cannot be opened. */
function openStore({ settings, now, log }: LlamaHostOptions): PrefixStore | null {
  const { prefixCacheFolder: folder, prefixCacheBytesMax: bytesMax } = settings;
  if (folder === null || bytesMax === 0) return null;
  try {
    return new PrefixStore({ folder, bytesMax, memoryBytesMax: settings.prefixMemoryBytesMax, now });
  } catch (thrown) {
    log("warn", `no prefix cache: ${String(thrown)}`);
    return null;
  }
}
