/**
 * The memory budget that the models of all engines share. Loads run one after the other, whichever engine requests them: each waits
 * until there is space, and unloads idle models of any engine to make space.
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { decideEviction, type MemoryEntry } from "./eviction.js";

/** An engine that has models in the shared memory. */
export interface MemoryClient {
  entries(): readonly MemoryEntry[];
  /** Unloads one of this engine's idle models. */
  evict(id: string): Promise<void>;
}

export interface ModelMemoryOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Limit for all models together. */
  readonly memoryBytesMax: number;
}

export class ModelMemory {
  readonly #options: ModelMemoryOptions;
  readonly #clients: MemoryClient[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #idleListeners: (() => void)[] = [];

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
  load<T>(model: { readonly id: string; readonly bytes: number }, load: () => Promise<T>): Promise<T> {
    return this.#inOrder(async () => {
      await this.#freeMemory(model);
      return load();
    });
  }

  /** Runs `unload` when no load is in progress. */
  unload(unload: () => Promise<void>): Promise<void> {
    return this.#inOrder(unload);
  }

  /** Reports that a model has become idle. */
  notifyIdle(): void {
    for (const wake of this.#idleListeners.splice(0)) wake();
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #freeMemory(model: { readonly id: string; readonly bytes: number }): Promise<void> {
    const { memoryBytesMax, clock } = this.#options;
    for (;;) {
      const entries = this.#clients.flatMap((client) => client.entries());
      const decision = decideEviction(entries, model.bytes, memoryBytesMax, clock.monotonic());
      if (decision.type === "never") throw tooLarge(model, memoryBytesMax);
      if (decision.type === "wait") {
        await new Promise<void>((resolve) => this.#idleListeners.push(resolve));
        continue;
      }
      for (const id of decision.evict)
        await this.#clients.find((client) => client.entries().some((each) => each.id === id))?.evict(id);
      return;
    }
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
