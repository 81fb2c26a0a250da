/** Filters the models by the permissions of a key. */
import { authorise, mayUseModel, modelNames } from "../accounts/principals/permissions.js";
import type { Principal } from "../accounts/principals/api-key.js";
import type { Model, ModelKind, ModelRegistry } from "../core/model.js";
import { isOfKind, unknownModel } from "./authorise-model.js";

/**
 * Returns the usable models that a key may use, in order of id.
 * @param kind only models of this kind; absent = chat models first, because many clients choose the first model, then the others.
 */
export function visibleModels(
  models: ModelRegistry,
  principal: Principal,
  kind?: ModelKind,
): readonly Model[] {
  const visible = models
    .list()
    .filter((model) => model.unusable === null && hasKind(model, kind) && mayUseModel(principal, model));
  return [
    ...visible.filter((model) => hasKind(model, "chat")),
    ...visible.filter((model) => !hasKind(model, "chat")),
  ];
}

/**
 * Returns a model by id or alias.
 * @throws HearthError `permission_denied` for a name that the key may not use, whether there is such a model or not; `model_not_found`,
 * also for a model of another kind.
 */
export function visibleModel(
  models: ModelRegistry,
  principal: Principal,
  name: string,
  kind?: ModelKind,
): Model {
  const model = models.find(name);
  authorise(principal, { endpoint: null, model: modelNames(name, model) });
  if (model === null || !hasKind(model, kind)) throw unknownModel(models, principal, name, kind);
  return model;
}

function hasKind({ manifest }: Model, kind: ModelKind | undefined): boolean {
  return isOfKind(manifest.kind, kind);
}
