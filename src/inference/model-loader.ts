/** Loads and unloads models, for an actor, with an entry in the audit log. */
import type { AuditEntry } from "../accounts/audit/event.js";
import type { Actor } from "../accounts/audit/event.js";
import type { EmbeddingEngine } from "../core/embeddings/engine.js";
import type { Engine } from "../core/engine.js";
import { HearthError } from "../core/errors.js";
import type { ImageEngine } from "../core/images/image-generation.js";
import type { Model } from "../core/model.js";
import { refuseUnusable } from "./usable-model.js";

/** Loads that may wait at a time. */
const loadsMax = 16;

interface LoaderParts {
  readonly engine: Engine;
  readonly embeddingEngine: EmbeddingEngine;
  readonly imageEngine: ImageEngine;
  /** Unloads a model as soon as no run uses it. */
  readonly memory: { unload(id: string): void };
  /** Writes entries into the audit log. */
  readonly record: (actor: Actor, entries: readonly AuditEntry[]) => Promise<void>;
}

export class ModelLoader {
  readonly #parts: LoaderParts;
  #loads = 0;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the model is in memory.
   * @throws HearthError `model_unavailable`, `overloaded` while too many loads wait, or the signal's reason when it aborts.
   */
  async load(model: Model, actor: Actor, signal: AbortSignal): Promise<void> {
    if (this.#loads >= loadsMax)
      throw new HearthError("overloaded", "Too many models are being loaded. Please try again later.", {
        retryAfterSeconds: 5,
      });
    this.#loads += 1;
    try {
      refuseUnusable(model);
      const loaded = await this.#findEngine(model).load(model, signal);
      loaded.release();
    } finally {
      this.#loads -= 1;
    }
    await this.#parts.record(actor, [toEntry("LoadModel", model)]);
  }

  /** Unloads a model: at once, or when the last run that uses it has ended. */
  async unload(model: Model, actor: Actor): Promise<void> {
    await this.#parts.record(actor, [toEntry("UnloadModel", model)]);
    this.#parts.memory.unload(model.manifest.id);
  }

  #findEngine({ manifest: { id, kind } }: Model) {
    const { engine, embeddingEngine, imageEngine } = this.#parts;
    if (kind === "chat") return engine;
    if (kind === "image") return imageEngine;
    if (kind !== "vision") return embeddingEngine;
    const reason = `'${id}' is a vision model, which the first image loads.`;
    throw new HearthError("invalid_value", `model: ${reason}`, { param: "model" });
  }
}

function toEntry(action: "LoadModel" | "UnloadModel", { manifest: { id } }: Model): AuditEntry {
  const description = `${action === "LoadModel" ? "Loaded" : "Unloaded"} the model '${id}'`;
  return { action, objectId: id, teamId: null, description, before: null, after: null };
}
