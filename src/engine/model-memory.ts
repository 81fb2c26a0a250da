/**
 * The memory budget that the models of all engines share. Loads run one after the other, in order of request, whichever engine requests
 * them: each waits until there is space, and unloads idle models of any engine to make space. While models in use leave no space, those
 * that the load needs unloaded take no new leases, so that no load waits for ever. eviction.ts decides; this file executes.
 *
 * States of a load: waiting (first in the queue or behind others) -> loading; a load that nobody needs any more leaves the queue.
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { decideEviction, type MemoryEntry } from "./eviction.js";

/** A model as an engine has it in memory. */
export interface ClientEntry extends MemoryEntry {
  /** Whether it has been idle for as long as it may be. */
  readonly isExpired: boolean;
}

/** An engine that has models in the shared memory. */
export interface MemoryClient {
  entries(): readonly ClientEntry[];
  /** Unloads one of this engine's idle models, which leaves the entries at once. */
  evict(id: string): Promise<void>;
  /** Unloads a model as soon as no run uses it, whatever keeps it. @param id the model's id, not its load key */
  unload(id: string): void;
  /** Called when models that took no new leases may take some, or have left the memory. */
  onHoldEnded(): void;
}

/** A model to load. */
export interface LoadRequest {
  /** The model's load key, unique among the loads that wait. */
  readonly key: string;
  /** The model's id. */
  readonly id: string;
  readonly bytes: number;
}

export interface ModelMemoryOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Limit for all models together. */
  readonly memoryBytesMax: number;
}

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

  constructor(options: ModelMemoryOptions) {
    this.#options = options;
  }

  register(client: MemoryClient): void {
    this.#clients.push(client);
  }

  /**
   * Runs `load` once there is enough memory for the model.
   * @throws HearthError `model_unavailable` when the model is larger than the whole budget; any error of `load`.
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
    const entries = this.#clients.flatMap((client) => client.entries());
    const expired = entries.filter(({ isExpired, leases }) => isExpired && leases === 0);
    if (expired.length > 0) return this.#evict(expired.map(({ id }) => id));
    const [first] = this.#waiting;
    if (first === undefined) return this.#holdBack([]);
    this.#decide(entries, first);
  }

  #decide(loaded: readonly MemoryEntry[], first: WaitingLoad): void {
    const { clock, memoryBytesMax: budget } = this.#options;
    const state = { loaded, heldBack: this.#heldBack, budget, now: clock.monotonic() };
    const decision = decideEviction(state, first.bytes);
    switch (decision.type) {
      case "never":
        this.#waiting.shift();
        first.reject(tooLarge(first, budget));
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

function tooLarge(
  { id, bytes }: { readonly id: string; readonly bytes: number },
  budget: number,
): HearthError {
  const inGb = (size: number): string => `${(size / 1e9).toFixed(1)} GB`;
  const message =
    `The model '${id}' needs about ${inGb(bytes)} of memory, ` +
    `more than the ${inGb(budget)} that models may take (memoryBytesMax).`;
  return new HearthError("model_unavailable", message, { param: "model" });
}
