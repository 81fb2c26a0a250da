/**
 * The one memory that the models of all engines share. Loads wait for room, and decide about it, one after the other, whichever
 * engine asks; the idle models of any engine may have to leave for it. What a model is made of is its engine's business.
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { makeRoom, type Held } from "./eviction.js";

/** An engine's models in the memory. */
export interface Tenant {
  held(): readonly Held[];
  /** Lets an idle model of its own go. */
  evict(id: string): Promise<void>;
}

export interface ModelMemoryOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** That all models together may take. */
  readonly memoryBytesMax: number;
}

export class ModelMemory {
  readonly #options: ModelMemoryOptions;
  readonly #tenants: Tenant[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #onIdle: (() => void)[] = [];

  constructor(options: ModelMemoryOptions) {
    this.#options = options;
  }

  join(tenant: Tenant): void {
    this.#tenants.push(tenant);
  }

  /**
   * Loads when there is room.
   * @throws HearthError `model_unavailable` when there never will be; whatever the load throws.
   */
  load<T>(model: { readonly id: string; readonly bytes: number }, load: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#makeRoom(model);
      return load();
    });
  }

  /** Unloads when no load is under way. */
  unload(unload: () => Promise<void>): Promise<void> {
    return this.#inTurn(unload);
  }

  /** A model is in use no more. */
  idle(): void {
    for (const wake of this.#onIdle.splice(0)) wake();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #makeRoom(model: { readonly id: string; readonly bytes: number }): Promise<void> {
    const { memoryBytesMax, clock } = this.#options;
    for (;;) {
      const held = this.#tenants.flatMap((tenant) => tenant.held());
      const room = makeRoom(held, model.bytes, memoryBytesMax, clock.monotonic());
      if (room.type === "never") throw tooLarge(model, memoryBytesMax);
      if (room.type === "wait") {
        await new Promise<void>((resolve) => this.#onIdle.push(resolve));
        continue;
      }
      for (const id of room.evict)
        await this.#tenants.find((tenant) => tenant.held().some((each) => each.id === id))?.evict(id);
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
