/**
 * The models that one engine has in memory: loads each once however many ask for it, keeps it while anybody holds it and for a
 * while after, lets idle ones go where others need the room, and does not try a load that failed again before its time. Owns no
 * native object: what loads and unloads is the engine's worker's.
 *
 * Modes of a model: loading (single flight) -> resident (leased or idle) -> gone; a failed load leaves a memory of itself.
 */
import type { Clock } from "../core/clock.js";
import type { ResidentModel } from "../core/engine.js";
import { asHearthError, HearthError } from "../core/errors.js";
import type { Model } from "../core/model.js";
import type { ModelMemory } from "./model-memory.js";
import type { Held } from "./eviction.js";

/** What an engine's worker says of a model it has loaded; it may say more. */
export type Native = Pick<ResidentModel, "contextTokens" | "slots" | "device">;

export interface ModelsDeps<N extends Native> {
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays. */
  readonly keepAliveMs: number;
  readonly estimate: (model: Model) => number;
  /** One public sentence when the weights must not be loaded, else null. */
  readonly check: (model: Model) => Promise<string | null>;
  readonly load: (model: Model) => Promise<N>;
  readonly unload: (model: Model) => Promise<void>;
}

/** A model, held in memory until released; a second release does nothing. */
export type Leased<N extends Native> = N & { release(): void };

interface Entry<N extends Native> {
  readonly model: Model;
  readonly bytes: number;
  readonly ready: Promise<N>;
  native: N | null;
  leases: number;
  lastUsed: number;
  loadMs: number;
  loadedAt: number;
  until: number | null;
  stopTimer: () => void;
}

interface Failure {
  readonly error: HearthError;
  readonly count: number;
  readonly until: number;
}

const backoffMsMin = 1000;
const backoffMsMax = 60_000;

export class ResidentModels<N extends Native> {
  readonly #deps: ModelsDeps<N>;
  readonly #entries = new Map<string, Entry<N>>();
  readonly #failures = new Map<string, Failure>();

  constructor(deps: ModelsDeps<N>) {
    this.#deps = deps;
    deps.memory.join({ held: () => this.#held(), evict: (id) => this.#evict(id) });
  }

  /**
   * Holds a model in memory until released.
   * @throws HearthError `model_unavailable`: with `retryAfterSeconds` when its last load failed a moment ago.
   */
  async lease(model: Model): Promise<Leased<N>> {
    const entry = this.#entries.get(model.manifest.id) ?? this.#begin(model);
    entry.leases += 1;
    entry.stopTimer();
    entry.until = null;
    try {
      const native = await entry.ready;
      let held = true;
      return {
        ...native,
        release: () => {
          if (held) this.#release(entry);
          held = false;
        },
      };
    } catch (thrown) {
      entry.leases -= 1;
      throw thrown;
    }
  }

  /** What `hearth ps` shows. */
  list(): readonly ResidentModel[] {
    return [...this.#entries.values()].flatMap(({ model, bytes, native, loadedAt, until }) => {
      if (native === null) return [];
      const { contextTokens, slots, device } = native;
      return [{ id: model.manifest.id, bytes, contextTokens, slots, device, loadedAt, until }];
    });
  }

  /** The worker is gone, and everything in it. */
  forget(): void {
    for (const entry of this.#entries.values()) entry.stopTimer();
    this.#entries.clear();
  }

  #begin(model: Model): Entry<N> {
    const { id } = model.manifest;
    const failure = this.#failures.get(id);
    const left = (failure?.until ?? 0) - this.#deps.clock.monotonic();
    if (failure !== undefined && left > 0)
      throw new HearthError("model_unavailable", failure.error.message, {
        param: "model",
        retryAfterSeconds: Math.ceil(left / 1000),
      });
    const entry: Entry<N> = {
      model,
      bytes: this.#deps.estimate(model),
      // Begun once the entry is there, so that whoever asks meanwhile finds it.
      ready: Promise.resolve().then(() => this.#load(entry)),
      native: null,
      leases: 0,
      lastUsed: this.#deps.clock.monotonic(),
      loadMs: 0,
      loadedAt: 0,
      until: null,
      stopTimer: () => undefined,
    };
    entry.ready.catch(() => undefined);
    this.#entries.set(id, entry);
    return entry;
  }

  async #load(entry: Entry<N>): Promise<N> {
    const { clock, check, memory } = this.#deps;
    const { manifest } = entry.model;
    try {
      const reason = await check(entry.model);
      if (reason !== null)
        throw new HearthError("model_unavailable", `The model '${manifest.id}' cannot be used: ${reason}`, {
          param: "model",
        });
      const native = await memory.load({ id: manifest.id, bytes: entry.bytes }, () =>
        this.#loadInTurn(entry),
      );
      this.#failures.delete(manifest.id);
      return native;
    } catch (thrown) {
      this.#entries.delete(manifest.id);
      const error = asHearthError(thrown);
      const count = (this.#failures.get(manifest.id)?.count ?? 0) + 1;
      const until = clock.monotonic() + Math.min(backoffMsMax, backoffMsMin * 2 ** (count - 1));
      this.#failures.set(manifest.id, { error, count, until });
      throw error;
    }
  }

  async #loadInTurn(entry: Entry<N>): Promise<N> {
    const { clock, load } = this.#deps;
    const began = clock.monotonic();
    const native = await load(entry.model);
    entry.loadMs = clock.monotonic() - began;
    entry.loadedAt = clock.now();
    entry.native = native;
    return native;
  }

  async #evict(id: string): Promise<void> {
    const leaving = this.#entries.get(id);
    if (leaving === undefined) return;
    this.#entries.delete(id);
    leaving.stopTimer();
    await this.#deps.unload(leaving.model);
  }

  #held(): readonly Held[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.native === null ? [] : [{ ...entry, id: entry.model.manifest.id }],
    );
  }

  #release(entry: Entry<N>): void {
    const { clock, keepAliveMs, memory } = this.#deps;
    entry.leases -= 1;
    entry.lastUsed = clock.monotonic();
    if (entry.leases > 0) return;
    entry.until = clock.now() + keepAliveMs;
    entry.stopTimer = clock.after(keepAliveMs, () => this.#expire(entry));
    memory.idle();
  }

  #expire(entry: Entry<N>): void {
    const { id } = entry.model.manifest;
    if (entry.leases > 0 || this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    this.#deps.memory.unload(() => this.#deps.unload(entry.model)).catch(() => undefined);
  }
}
