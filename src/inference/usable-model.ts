import { HearthError, modelNotFound } from "../core/errors.js";
import type { Model, ModelKind, ModelRegistry } from "../core/model.js";

/**
 * Finds a usable model by id or alias.
 * @param kind the kind that it must be of.
 * @throws HearthError `model_not_found`, `model_unavailable`, `invalid_value` for one of another kind.
 */
export function usableModel(models: ModelRegistry, name: string, kind: ModelKind = "chat"): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name);
  if (model.manifest.kind !== kind)
    throw new HearthError(
      "invalid_value",
      `model: '${model.manifest.id}' is ${descriptions[model.manifest.kind]}`,
      {
        param: "model",
      },
    );
  refuseUnusable(model);
  return model;
}

/** @throws HearthError `model_unavailable` with the reason when the model cannot be used. */
export function refuseUnusable({ manifest, unusable }: Model): void {
  if (unusable !== null)
    throw new HearthError("model_unavailable", `The model '${manifest.id}' cannot be used: ${unusable}`, {
      param: "model",
    });
}

/** What a model of each kind is. */
export const descriptions: Readonly<Record<ModelKind, string>> = {
  chat: "a chat model",
  vision: "a vision model, which describes images for chat models",
  image: "an image model: use it at /v1/images/generations",
  embedding: "an embedding model: use it at /v1/embeddings",
  rerank: "a rerank model: use it at /v1/rerank",
};
