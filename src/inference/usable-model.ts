import { HearthError, modelNotFound } from "../core/errors.js";
import type { Model, ModelRegistry } from "../core/model.js";

/** A model that can answer, by id or alias. @throws HearthError `model_not_found`, `model_unavailable`. */
export function usableModel(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name);
  if (model.unusable !== null)
    throw new HearthError(
      "model_unavailable",
      `The model '${model.manifest.id}' cannot be used: ${model.unusable}`,
      { param: "model" },
    );
  return model;
}
