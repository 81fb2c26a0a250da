import { authorise, mayUseModel, modelNames } from "../accounts/principals/permissions.js";
import type { Principal } from "../accounts/principals/api-key.js";
import { modelNotFound, type HearthError } from "../core/errors.js";
import type { ModelKind, ModelRegistry } from "../core/model.js";
import { closestNames } from "../models/closest-names.js";

/** A request of a model: whose key it has, and the endpoint that it calls. */
export interface Caller {
  readonly principal: Principal;
  readonly route: { readonly acl: string | null };
}

/**
 * Checks that the key may use the endpoint, and the model that its request names, and that there is such a model.
 * @param kind the kind of the names that are suggested for an unknown one.
 * @throws HearthError `permission_denied`, also for a model that does not exist; `model_not_found` with the closest names.
 */
export function authoriseModel(
  models: ModelRegistry,
  { principal, route }: Caller,
  name: string,
  kind: ModelKind = "chat",
): void {
  const model = models.find(name);
  authorise(principal, { endpoint: route.acl, model: modelNames(name, model) });
  if (model === null) throw unknownModel(models, principal, name, kind);
}

/**
 * Returns the error for a model that does not exist, with the closest names of usable models that the key may use.
 * @param kind the kind of model that was asked for; absent: any but vision models, which only the server uses.
 */
export function unknownModel(
  models: ModelRegistry,
  principal: Principal,
  name: string,
  kind?: ModelKind,
): HearthError {
  const candidates = models
    .list()
    .filter(({ manifest, unusable }) => unusable === null && isOfKind(manifest.kind, kind))
    .filter((model) => mayUseModel(principal, model));
  return modelNotFound(name, closestNames(name, candidates));
}

/** Whether a request for a model of this kind, absent = any but vision models, can mean a model of that kind. */
export function isOfKind(of: ModelKind, kind: ModelKind | undefined): boolean {
  return kind === undefined ? of !== "vision" : of === kind;
}
