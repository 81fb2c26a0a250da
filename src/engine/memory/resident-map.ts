import { loadKey, type Model } from "../../core/model.js";

/** What the worker holds of the models of one kind, by load key. */
export class ResidentMap<R extends { dispose(): Promise<void> }> {
  readonly #load: (model: Model) => Promise<R>;
  readonly #loading = new Map<string, Promise<R>>();
  readonly #loaded = new Map<string, R>();

  constructor(load: (model: Model) => Promise<R>) {
    this.#load = load;
  }

  /** Loads a model, once however often it is called. */
  load(model: Model): Promise<R> {
    const key = loadKey(model);
    const known = this.#loading.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(model);
    this.#loading.set(key, loading);
    loading.then(
      (ready) => this.#loaded.set(key, ready),
      () => this.#loading.delete(key),
    );
    return loading;
  }

  has(key: string): boolean {
    return this.#loaded.has(key);
  }

  /** @throws Error when the model is not loaded. */
  get(key: string): R {
    const found = this.#loaded.get(key);
    if (found === undefined) throw new Error(`the model '${key}' is not loaded`);
    return found;
  }

  /** Takes a model out; the caller disposes it. */
  take(key: string): R | undefined {
    const leaving = this.#loaded.get(key);
    this.#loaded.delete(key);
    this.#loading.delete(key);
    return leaving;
  }

  /** Disposes every model, also those that are still loading. */
  async disposeAll(): Promise<void> {
    for (const loading of this.#loading.values())
      await loading.then((resident) => resident.dispose()).catch(() => undefined);
    this.#loading.clear();
    this.#loaded.clear();
  }
}
