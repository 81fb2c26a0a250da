/**
 * The memory budget that the models of all engines share. Loads run one after the other, in order of request, whichever engine requests
 * them: each waits until there is space, and unloads idle models of any engine to make space. While models in use leave no space, those
 * that the load needs unloaded take no new leases, so that every load begins. eviction.ts decides; this file executes.
 *
 * Where the system says what memory is free, models take no more than that: it is measured before each load, and every few seconds while
 * models are in memory. When other programs have taken it, idle models are unloaded.
 *
 * States of a load: waiting (first in the queue or behind others) -> loading; a load that nobody needs any more leaves the queue.
 */
import { sizeText } from "../../core/report/size-text.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { chooseIdle, decideEviction, type MemoryEntry } from "./eviction.js";

/** A model as an engine has it in memory. */
export interface ClientEntry extends MemoryEntry {
  /** Whether it has been idle for as long as it may be. */
  readonly isExpired: boolean;
}

/** An engine that has models in the shared memory. */
interface MemoryClient {
  entries(): readonly ClientEntry[];
  /** Unloads one of this engine's idle models, which leaves the entries at once. */
  evict(id: string): Promise<void>;
  /** Unloads a model as soon as no run uses it, whatever keeps it. @param id the model's id, not its load key */
  unload(id: string): void;
  /** Called when models that took no new leases may take some, or have left the memory. */
  onHoldEnded(): void;
}

/** A model to load. */
interface LoadRequest {
  /** The model's load key, unique among the loads that wait. */
  readonly key: string;
  /** The model's id. */
  readonly id: string;
  readonly bytes: number;
}

interface ModelMemoryOptions {
  readonly clock: Clock;
  /** Limit for all models together. */
  readonly memoryBytesMax: number;
  /**
   * Measures how many bytes models can still take, beyond those in memory; negative while memory is short. Null: `memoryBytesMax` alone
   * counts. @param plannedBytes estimated bytes of the models in memory
   */
  readonly roomBytes?: ((plannedBytes: number) => number) | null;
  readonly log?: (message: string) => void;
}

/** How often free memory is measured while models are in memory. */
export const measureMs = 5_000;

interface WaitingLoad extends LoadRequest {
  /** Loads the model. Never rejects. */
  readonly start: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

export class ModelMemory {
  readonly #options: ModelMemoryOptions;
  readonly #clients: MemoryClient[] = [];
  /** In order of request. */
  readonly #waiting: WaitingLoad[] = [];
  #heldBack: ReadonlySet<string> = new Set();
  /** Whether models are being loaded or unloaded. */
  #isBusy = false;
  #stopTimer = (): void => undefined;
  /** Whether the next measurement has a timer. */
  #isMeasuring = false;
  /** Whether the last measurement found too little free memory. */
  #isShort = false;

  constructor(options: ModelMemoryOptions) {
    this.#options = options;
  }

  register(client: MemoryClient): void {
    this.#clients.push(client);
  }

  /**
   * Runs `load` once there is enough memory for the model.
   * @throws HearthError `model_unavailable` when the model is larger than the whole budget, or than what is free once all others have left;
   *   any error of `load`.
   */
  load<T>(model: LoadRequest, load: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...model, start: () => load().then(resolve, reject), reject });
      this.review();
    });
  }

  /** Removes a load from the queue. @returns false when it is not there, for example because it has begun. */
  cancel(key: string): boolean {
    const index = this.#waiting.findIndex((load) => load.key === key);
    const [cancelled] = index < 0 ? [] : this.#waiting.splice(index, 1);
    cancelled?.reject(new Error("no request waits for the model any more"));
    if (cancelled !== undefined) this.review();
    return cancelled !== undefined;
  }

  /** Unloads a model as soon as no run uses it, whatever its keep-alive time. @param id the model's id */
  unload(id: string): void {
    for (const client of this.#clients) client.unload(id);
  }

  /** Whether a model in memory takes no new leases, because a load waits for its memory. */
  isHeldBack(id: string): boolean {
    return this.#heldBack.has(id);
  }

  /** Decides again. To be called when a model has become idle, has expired, or has left the memory. */
  review(): void {
    if (this.#isBusy) return;
    this.#stopTimer();
    const entries = this.#entries();
    if (entries.length > 0) this.#measureLater();
    const expired = entries.filter(({ isExpired, leases }) => isExpired && leases === 0);
    if (expired.length > 0) return this.#evict(expired.map(({ id }) => id));
    const [first] = this.#waiting;
    if (first === undefined) return this.#holdBack([]);
    this.#decide(entries, first);
  }

  #entries(): readonly ClientEntry[] {
    return this.#clients.flatMap((client) => client.entries());
  }

  /** Returns the bytes that all models together may take now. */
  #measureBudget(loaded: readonly MemoryEntry[]): number {
    const { memoryBytesMax, roomBytes } = this.#options;
    const planned = sumBytes(loaded);
    const room = roomBytes?.(planned) ?? memoryBytesMax;
    return Math.max(0, Math.min(memoryBytesMax, planned + room));
  }

  #measureLater(): void {
    const { clock, roomBytes } = this.#options;
    if (this.#isMeasuring || (roomBytes ?? null) === null) return;
    this.#isMeasuring = true;
    clock.after(measureMs, () => {
      this.#isMeasuring = false;
      this.#unloadIdle();
      // Other programs may have left memory to a load that waits.
      if (this.#waiting.length > 0) this.review();
      if (this.#entries().length > 0) this.#measureLater();
    });
  }

  /** Unloads idle models while other programs leave less memory than the models have. */
  #unloadIdle(): void {
    const loaded = this.#entries();
    const missing = sumBytes(loaded) - this.#measureBudget(loaded);
    const wasShort = this.#isShort;
    this.#isShort = missing > 0;
    if (missing <= 0 || this.#isBusy) return;
    const ids = chooseIdle(loaded, missing, this.#options.clock.monotonic());
    const unloads = ids.length === 0 ? "no model is idle" : `unloads ${ids.length} idle models`;
    if (!wasShort) this.#options.log?.(`free memory is short of ${sizeText(missing)}: ${unloads}`);
    if (ids.length > 0) this.#evict(ids);
  }

  #decide(loaded: readonly MemoryEntry[], first: WaitingLoad): void {
    const { clock, memoryBytesMax } = this.#options;
    const budget = this.#measureBudget(loaded);
    const state = { loaded, heldBack: this.#heldBack, budget, now: clock.monotonic() };
    const decision = decideEviction(state, first.bytes);
    switch (decision.type) {
      case "never":
        this.#waiting.shift();
        first.reject(
          first.bytes > memoryBytesMax ? tooLarge(first, memoryBytesMax) : tooShort(first, budget),
        );
        return this.review();
      case "wait":
        if (decision.reviewMs !== null) this.#stopTimer = clock.after(decision.reviewMs, () => this.review());
        return this.#holdBack(decision.holdBack);
      case "fits":
        if (decision.evict.length > 0) this.#evict(decision.evict);
        else {
          this.#waiting.shift();
          this.#perform(first.start());
        }
        return this.#holdBack([]);
    }
  }

  /** Unloads models. All of them leave the entries at once, so that none is leased while another is being unloaded. */
  #evict(ids: readonly string[]): void {
    const unloads = ids.map(async (id) => {
      await this.#clients.find((client) => client.entries().some((each) => each.id === id))?.evict(id);
    });
    // An unload fails only when the engine has lost its worker, and all models with it.
    this.#perform(Promise.allSettled(unloads));
  }

  #perform(effect: Promise<unknown>): void {
    this.#isBusy = true;
    void effect.then(() => {
      this.#isBusy = false;
      this.review();
    });
  }

  #holdBack(ids: readonly string[]): void {
    this.#heldBack = new Set(ids);
    for (const client of this.#clients) client.onHoldEnded();
  }
}

const sumBytes = (models: readonly MemoryEntry[]): number =>
  models.reduce((sum, { bytes }) => sum + bytes, 0);

function tooLarge({ id, bytes }: LoadRequest, budget: number): HearthError {
  const message =
    `The model '${id}' needs about ${sizeText(bytes)} of memory, ` +
    `more than the ${sizeText(budget)} that models may take (memoryBytesMax).`;
  return new HearthError("model_unavailable", message, { param: "model" });
}

function tooShort({ id, bytes }: LoadRequest, budget: number): HearthError {
  const message =
    `The model '${id}' needs about ${sizeText(bytes)} of memory, and models can have ${sizeText(budget)} now, ` +
    `because other programs use the rest.`;
  return new HearthError("model_unavailable", message, {
    param: "model",
    retryAfterSeconds: Math.ceil(measureMs / 1000),
  });
}
