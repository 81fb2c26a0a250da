import type { Model } from "../../../core/model.js";

/** What the worker holds of the models of one kind. */
export class ResidentMap<R extends { dispose(): Promise<void> }> {
  readonly #load: (model: Model) => Promise<R>;
  readonly #loading = new Map<string, Promise<R>>();
  readonly #loaded = new Map<string, R>();

  constructor(load: (model: Model) => Promise<R>) {
    this.#load = load;
  }

  /** Loads a model, once however often it is called. */
  load(model: Model): Promise<R> {
    const { id } = model.manifest;
    const known = this.#loading.get(id);
    if (known !== undefined) return known;
    const loading = this.#load(model);
    this.#loading.set(id, loading);
    loading.then(
      (ready) => this.#loaded.set(id, ready),
      () => this.#loading.delete(id),
    );
    return loading;
  }

  /** @throws Error when the model is not loaded. */
  get(id: string): R {
    const found = this.#loaded.get(id);
    if (found === undefined) throw new Error(`the model '${id}' is not loaded`);
    return found;
  }

  /** Takes a model out; the caller disposes it. */
  take(id: string): R | undefined {
    const leaving = this.#loaded.get(id);
    this.#loaded.delete(id);
    this.#loading.delete(id);
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
