/** The models as one caller sees them: those that its key may use, and no trace of the others. */
import { mayUseModel } from "../accounts/permissions.js";
import type { Principal } from "../core/api-key.js";
import { modelNotFound } from "../core/errors.js";
import type { Model, ModelRegistry } from "../core/model.js";

/** In order of id. */
export function visibleModels(models: ModelRegistry, principal: Principal): readonly Model[] {
  return models.list().filter((model) => mayUseModel(principal, model.manifest.id));
}

/** By id or alias. @throws HearthError `model_not_found`, the same for one that is not there and one that is not theirs. */
export function visibleModel(models: ModelRegistry, principal: Principal, name: string): Model {
  const model = models.find(name);
  if (model === null || !mayUseModel(principal, model.manifest.id)) throw modelNotFound(name);
  return model;
}
