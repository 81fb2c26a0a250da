import { HearthError, modelNotFound } from "../../core/errors.js";
import type { Model, ModelKind, ModelRegistry } from "../../core/model.js";

/**
 * A model that can answer, by id or alias.
 * @param kind what it has to be for.
 * @throws HearthError `model_not_found`, `model_unavailable`, `invalid_value` for one of another kind.
 */
export function usableModel(models: ModelRegistry, name: string, kind: ModelKind = "chat"): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name);
  if (model.manifest.kind !== kind)
    throw new HearthError(
      "invalid_value",
      `model: '${model.manifest.id}' is ${purposes[model.manifest.kind]}`,
      {
        param: "model",
      },
    );
  if (model.unusable !== null)
    throw new HearthError(
      "model_unavailable",
      `The model '${model.manifest.id}' cannot be used: ${model.unusable}`,
      { param: "model" },
    );
  return model;
}

const purposes: Readonly<Record<ModelKind, string>> = {
  chat: "a model that answers conversations, not one that draws",
  vision: "a model that describes images, for others to answer",
  image: "a model that draws: ask for it at /v1/images/generations",
};
