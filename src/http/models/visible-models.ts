/** The models as one caller sees them: those that its key may use, and no trace of the others. */
import { mayUseModel } from "../../accounts/keys/permissions.js";
import type { Principal } from "../../accounts/keys/api-key.js";
import { modelNotFound } from "../../core/errors.js";
import type { Model, ModelKind, ModelRegistry } from "../../core/model.js";

/**
 * In order of id. @param kind what they are for; absent: whatever they can be asked for, first the models that chat, for many a
 * client takes the first of all.
 */
export function visibleModels(
  models: ModelRegistry,
  principal: Principal,
  kind?: ModelKind,
): readonly Model[] {
  const visible = models
    .list()
    .filter((model) => mayUseModel(principal, model.manifest.id) && isOf(model, kind));
  return [
    ...visible.filter((model) => isOf(model, "chat")),
    ...visible.filter((model) => !isOf(model, "chat")),
  ];
}

/**
 * By id or alias.
 * @throws HearthError `model_not_found`, the same for one that is not there, one that is not theirs and one of another kind.
 */
export function visibleModel(
  models: ModelRegistry,
  principal: Principal,
  name: string,
  kind?: ModelKind,
): Model {
  const model = models.find(name);
  if (model === null || !mayUseModel(principal, model.manifest.id) || !isOf(model, kind))
    throw modelNotFound(name);
  return model;
}

function isOf({ manifest }: Model, kind: ModelKind | undefined): boolean {
  // A model that sees is asked by this server alone.
  return kind === undefined ? manifest.kind !== "vision" : manifest.kind === kind;
}
