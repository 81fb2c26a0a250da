/**
 * The models that one engine has in memory. Loads a model once however many runs request it, keeps it while a run holds a lease and
 * for `keepAliveMs` after, unloads idle models when memory is needed, and waits before it tries a failed load again. It owns no native
 * object: the engine's worker loads and unloads.
 *
 * States of a model: loading (single flight) -> resident (leased or idle) -> unloaded; a failed load starts a back-off. While another
 * model waits for its memory, a resident model may be held back: it takes no new leases, and is unloaded when it is idle.
 */
import type { Clock } from "../../core/clock.js";
import type { NativeModelInfo, ResidentModel } from "../../core/engine.js";
import { toHearthError, HearthError } from "../../core/errors.js";
import { loadKey, type Model } from "../../core/model.js";
import type { ClientEntry, ModelMemory } from "./model-memory.js";
import { promiseOrAbort, WaitingLeases } from "./waiting-leases.js";

export interface ModelsDeps<N extends NativeModelInfo> {
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays. */
  readonly keepAliveMs: number;
  readonly estimate: (model: Model) => number;
  /** Returns one public sentence when the weights must not be loaded, else null. */
  readonly check: (model: Model) => Promise<string | null>;
  readonly load: (model: Model) => Promise<N>;
  readonly unload: (model: Model) => Promise<void>;
}

/** A model that stays in memory until it is released; a second release does nothing. */
export type LeasedModel<N extends NativeModelInfo> = N & { release(keepAliveMs?: number): void };

interface Entry<N extends NativeModelInfo> {
  readonly model: Model;
  readonly bytes: number;
  readonly ready: Promise<N>;
  native: N | null;
  leases: number;
  lastUsed: number;
  loadMs: number;
  loadedAt: number;
  turnBegan: number;
  until: number | null;
  /** What a request has said last; null: as the settings say. */
  keepAliveMs: number | null;
  isExpired: boolean;
  /** Whether it is to leave memory as soon as no run uses it, whatever keeps it. */
  isUnwanted: boolean;
  stopTimer: () => void;
}

interface Failure {
  readonly error: HearthError;
  readonly count: number;
  readonly until: number;
}

const backoffMsMin = 1000;
const backoffMsMax = 60_000;

export class ResidentModels<N extends NativeModelInfo> {
  readonly #deps: ModelsDeps<N>;
  /** By load key: a model that has changed is loaded beside the one that older runs still use. */
  readonly #entries = new Map<string, Entry<N>>();
  readonly #failures = new Map<string, Failure>();
  /** Requests for models that are held back. */
  readonly #heldBack = new WaitingLeases<Entry<N>>();

  constructor(deps: ModelsDeps<N>) {
    this.#deps = deps;
    deps.memory.register({
      entries: () => this.#entriesInMemory(),
      evict: (id) => this.#evict(id),
      unload: (id) => this.#unload(id),
      onHoldEnded: () => this.#heldBack.retry(),
    });
  }

  /**
   * Loads a model if necessary and holds it in memory until released. Requests for one model get it in the order in which they come. A
   * load that has not begun is given up when all requests for the model have aborted.
   * @throws HearthError `model_unavailable`: with `retryAfterSeconds` when its last load failed recently. @throws the signal's reason
   * when it aborts.
   */
  async lease(model: Model, signal?: AbortSignal): Promise<LeasedModel<N>> {
    signal?.throwIfAborted();
    const enter = (): Entry<N> | null => this.#enter(model);
    const entry = enter() ?? (await this.#heldBack.wait(enter, signal));
    try {
      const native = await promiseOrAbort<N>(
        (resolve, reject) => void entry.ready.then(resolve, reject),
        signal,
      );
      let isHeld = true;
      return {
        ...native,
        release: (keepAliveMs) => {
          if (isHeld) this.#release(entry, keepAliveMs);
          isHeld = false;
        },
      };
    } catch (thrown) {
      this.#release(entry);
      throw thrown;
    }
  }

  /** Returns the loaded models, as `hearth ps` shows them. */
  list(): readonly ResidentModel[] {
    return [...this.#entries.values()].flatMap(({ model, bytes, native, loadedAt, until }) => {
      if (native === null) return [];
      const { contextTokens, slots, device, templateRepairs = [], templateCall, templateReasoning } = native;
      const { id } = model.manifest;
      const template = { templateRepairs, templateCall, templateReasoning };
      return [{ id, bytes, contextTokens, slots, device, ...template, loadedAt, until }];
    });
  }

  /** Drops all models, because the worker that held them has ended. Loads that have not ended are the worker's to fail. */
  dropAll(): void {
    for (const [key, entry] of this.#entries) {
      entry.stopTimer();
      if (entry.native !== null) this.#entries.delete(key);
    }
    this.#deps.memory.review();
  }

  /** Counts a lease of a model, whose load is started if necessary; returns null while the model is held back. */
  #enter(model: Model): Entry<N> | null {
    const key = loadKey(model);
    const known = this.#entries.get(key);
    if (known !== undefined && known.native !== null && this.#deps.memory.isHeldBack(key)) return null;
    const entry = known ?? this.#startLoading(model);
    entry.leases += 1;
    entry.stopTimer();
    entry.until = null;
    entry.isExpired = false;
    return entry;
  }

  #startLoading(model: Model): Entry<N> {
    const key = loadKey(model);
    const failure = this.#failures.get(key);
    const left = (failure?.until ?? 0) - this.#deps.clock.monotonic();
    if (failure !== undefined && left > 0)
      throw new HearthError("model_unavailable", failure.error.message, {
        param: "model",
        retryAfterSeconds: Math.ceil(left / 1000),
      });
    const entry: Entry<N> = {
      model,
      bytes: this.#deps.estimate(model),
      // Started after the entry is in the map, so that concurrent requests find it.
      ready: Promise.resolve().then(() => this.#load(entry)),
      native: null,
      leases: 0,
      lastUsed: this.#deps.clock.monotonic(),
      loadMs: 0,
      loadedAt: 0,
      turnBegan: 0,
      until: null,
      keepAliveMs: null,
      isExpired: false,
      isUnwanted: false,
      stopTimer: () => undefined,
    };
    entry.ready.catch(() => undefined);
    this.#entries.set(key, entry);
    this.#expireReplaced(entry);
    return entry;
  }

  async #load(entry: Entry<N>): Promise<N> {
    const { clock, check, memory } = this.#deps;
    const { manifest } = entry.model;
    const key = loadKey(entry.model);
    try {
      const reason = await check(entry.model);
      if (reason !== null)
        throw new HearthError("model_unavailable", `The model '${manifest.id}' cannot be used: ${reason}`, {
          param: "model",
        });
      if (entry.leases === 0) {
        this.#entries.delete(key);
        throw new Error("no request waits for the model any more");
      }
      const request = { key, id: manifest.id, bytes: entry.bytes };
      const native = await memory.load(request, () => this.#loadNative(entry));
      this.#failures.delete(key);
      return native;
    } catch (thrown) {
      if (this.#entries.get(key) !== entry) throw thrown;
      this.#entries.delete(key);
      const error = toHearthError(thrown);
      const count = (this.#failures.get(key)?.count ?? 0) + 1;
      const until = clock.monotonic() + Math.min(backoffMsMax, backoffMsMin * 2 ** (count - 1));
      this.#failures.set(key, { error, count, until });
      throw error;
    }
  }

  async #loadNative(entry: Entry<N>): Promise<N> {
    const { clock, load } = this.#deps;
    const began = clock.monotonic();
    const native = await load(entry.model);
    entry.turnBegan = clock.monotonic();
    entry.loadMs = entry.turnBegan - began;
    entry.loadedAt = clock.now();
    entry.native = native;
    if (entry.leases === 0) this.#rest(entry);
    return native;
  }

  async #evict(key: string): Promise<void> {
    const leaving = this.#entries.get(key);
    if (leaving === undefined) return;
    this.#entries.delete(key);
    leaving.stopTimer();
    await this.#deps.unload(leaving.model);
  }

  #entriesInMemory(): readonly ClientEntry[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.native === null ? [] : [{ ...entry, id: loadKey(entry.model) }],
    );
  }

  #release(entry: Entry<N>, keepAliveMs?: number): void {
    const { clock, memory } = this.#deps;
    const key = loadKey(entry.model);
    entry.leases -= 1;
    entry.keepAliveMs = keepAliveMs ?? entry.keepAliveMs;
    entry.lastUsed = clock.monotonic();
    if (entry.leases > 0 || this.#entries.get(key) !== entry) return;
    if (entry.native !== null) this.#rest(entry);
    else if (memory.cancel(key)) this.#entries.delete(key);
  }

  /** Keeps a model that has become idle for its keep-alive time. */
  #rest(entry: Entry<N>): void {
    const { clock, memory } = this.#deps;
    const isLeaving = entry.isUnwanted || this.#isReplaced(entry);
    const keepAliveMs = isLeaving ? 0 : this.#chooseKeepAliveMs(entry);
    entry.until = clock.now() + keepAliveMs;
    entry.stopTimer = clock.after(keepAliveMs, () => this.#expire(entry));
    memory.review();
  }

  /** A request may keep a model longer than its own setting says, and not shorter: another team may use it. */
  #chooseKeepAliveMs({ keepAliveMs, model: { load } }: Entry<N>): number {
    const set = load?.keepAliveMs;
    return keepAliveMs === null ? (set ?? this.#deps.keepAliveMs) : Math.max(keepAliveMs, set ?? 0);
  }

  /** Whether the same model was loaded again after it changed. */
  #isReplaced(entry: Entry<N>): boolean {
    const { id } = entry.model.manifest;
    const latest = [...this.#entries.values()].findLast(({ model }) => model.manifest.id === id);
    return latest !== undefined && latest !== entry;
  }

  /** Unloads what is idle of the model as it was before it changed. */
  #expireReplaced({ model }: Entry<N>): void {
    for (const entry of this.#entries.values())
      if (entry.native !== null && entry.model.manifest.id === model.manifest.id && this.#isReplaced(entry)) {
        entry.stopTimer();
        this.#expire(entry);
      }
  }

  /** Unloads a model as soon as no run uses it. */
  #unload(id: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.model.manifest.id !== id) continue;
      entry.isUnwanted = true;
      if (entry.native === null || entry.leases > 0) continue;
      entry.stopTimer();
      this.#expire(entry);
    }
  }

  #expire(entry: Entry<N>): void {
    entry.isExpired = true;
    this.#deps.memory.review();
  }
}
