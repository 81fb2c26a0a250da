/**
 * The models in memory: loads each once however many ask for it, keeps it while anybody holds it and for a while after, makes
 * room by letting idle ones go, and does not try a load that failed again before its time. Owns no native object: what loads
 * and unloads is the worker's.
 *
 * Modes of a model: loading (single flight) -> resident (leased or idle) -> gone; a failed load leaves a memory of itself.
 */
import type { Clock } from "../../core/clock.js";
import type { LoadedModel, ResidentModel } from "../../core/engine.js";
import { asHearthError, HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import type { NativeModel } from "./protocol.js";
import { makeRoom, type Held } from "./residency.js";

export interface ModelsDeps {
  readonly clock: Clock;
  /** Memory that all models together may take. */
  readonly memoryBytesMax: number;
  /** How long an idle model stays. */
  readonly keepAliveMs: number;
  readonly estimate: (model: Model) => number;
  /** One public sentence when the weights must not be loaded, else null. */
  readonly check: (model: Model) => Promise<string | null>;
  readonly load: (model: Model) => Promise<NativeModel>;
  readonly unload: (model: Model) => Promise<void>;
}

interface Entry {
  readonly model: Model;
  readonly bytes: number;
  readonly ready: Promise<NativeModel>;
  native: NativeModel | null;
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

export class ResidentModels {
  readonly #deps: ModelsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #failures = new Map<string, Failure>();
  /** Loads wait for room, and decide about it, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #onIdle: (() => void)[] = [];

  constructor(deps: ModelsDeps) {
    this.#deps = deps;
  }

  /**
   * Holds a model in memory until released.
   * @throws HearthError `model_unavailable`: with `retryAfterSeconds` when its last load failed a moment ago.
   */
  async lease(model: Model): Promise<LoadedModel> {
    const entry = this.#entries.get(model.manifest.id) ?? this.#begin(model);
    entry.leases += 1;
    entry.stopTimer();
    entry.until = null;
    try {
      const { contextTokens, slots, callsAreExact } = await entry.ready;
      let held = true;
      return {
        contextTokens,
        slots,
        callsAreExact,
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
    return [...this.#entries.values()].flatMap(({ model, bytes, native, loadedAt, until }) =>
      native === null ? [] : [{ id: model.manifest.id, bytes, ...native, loadedAt, until }],
    );
  }

  /** The worker is gone, and everything in it. */
  forget(): void {
    for (const entry of this.#entries.values()) entry.stopTimer();
    this.#entries.clear();
  }

  #begin(model: Model): Entry {
    const { id } = model.manifest;
    const failure = this.#failures.get(id);
    const left = (failure?.until ?? 0) - this.#deps.clock.monotonic();
    if (failure !== undefined && left > 0)
      throw new HearthError("model_unavailable", failure.error.message, {
        param: "model",
        retryAfterSeconds: Math.ceil(left / 1000),
      });
    const entry: Entry = {
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

  async #load(entry: Entry): Promise<NativeModel> {
    const { clock, check } = this.#deps;
    const { manifest } = entry.model;
    try {
      const reason = await check(entry.model);
      if (reason !== null)
        throw new HearthError("model_unavailable", `The model '${manifest.id}' cannot be used: ${reason}`, {
          param: "model",
        });
      const turn = this.#turn.then(() => this.#loadInTurn(entry));
      this.#turn = turn.catch(() => undefined);
      const native = await turn;
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

  async #loadInTurn(entry: Entry): Promise<NativeModel> {
    const { clock, load } = this.#deps;
    await this.#makeRoom(entry);
    const began = clock.monotonic();
    const native = await load(entry.model);
    entry.loadMs = clock.monotonic() - began;
    entry.loadedAt = clock.now();
    entry.native = native;
    return native;
  }

  async #makeRoom(entry: Entry): Promise<void> {
    const { memoryBytesMax, clock, unload } = this.#deps;
    for (;;) {
      const room = makeRoom(this.#held(), entry.bytes, memoryBytesMax, clock.monotonic());
      if (room.type === "never") throw tooLarge(entry, memoryBytesMax);
      if (room.type === "wait") {
        await new Promise<void>((resolve) => this.#onIdle.push(resolve));
        continue;
      }
      for (const id of room.evict) {
        const leaving = this.#entries.get(id);
        this.#entries.delete(id);
        leaving?.stopTimer();
        if (leaving !== undefined) await unload(leaving.model);
      }
      return;
    }
  }

  #held(): readonly Held[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.native === null ? [] : [{ ...entry, id: entry.model.manifest.id }],
    );
  }

  #release(entry: Entry): void {
    const { clock, keepAliveMs } = this.#deps;
    entry.leases -= 1;
    entry.lastUsed = clock.monotonic();
    if (entry.leases > 0) return;
    entry.until = clock.now() + keepAliveMs;
    entry.stopTimer = clock.after(keepAliveMs, () => this.#expire(entry));
    for (const wake of this.#onIdle.splice(0)) wake();
  }

  #expire(entry: Entry): void {
    const { id } = entry.model.manifest;
    if (entry.leases > 0 || this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    const turn = this.#turn.then(() => this.#deps.unload(entry.model));
    this.#turn = turn.catch(() => undefined);
  }
}

function tooLarge(entry: Entry, budget: number): HearthError {
  const inGb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  const message =
    `The model '${entry.model.manifest.id}' needs about ${inGb(entry.bytes)} of memory, ` +
    `more than the ${inGb(budget)} that models may take (memoryBytesMax).`;
  return new HearthError("model_unavailable", message, { param: "model" });
}
