import { authorise, mayUseModel, modelNames } from "../accounts/principals/permissions.js";
import type { Principal } from "../accounts/principals/api-key.js";
import { modelNotFound, type HearthError } from "../core/errors.js";
import type { Model, ModelKind, ModelRegistry } from "../core/model.js";
import { invalidValue } from "../dialects/field-error.js";
import { descriptions } from "../inference/usable-model.js";
import { closestNames } from "../models/closest-names.js";

/** A request of a model: whose key it has, and the endpoint that it calls. */
interface ModelCaller {
  readonly principal: Principal;
  readonly route: { readonly acl: string | null };
}

/** What an endpoint needs of a model. */
export interface Ability {
  /** The end of a sentence that begins with `cannot`. */
  readonly verb: string;
  has(model: Model): boolean;
}

/** Models that are named in an error. */
const namesMax = 5;

/**
 * Checks that the key may use the endpoint, and the model that its request names, that there is such a model, and that it can do what
 * the endpoint needs.
 * @param kind the kind of the names that are suggested for an unknown one. @param ability absent: the run checks it.
 * @throws HearthError `permission_denied`, also for a model that does not exist; `model_not_found` with the closest names;
 * `invalid_value` with models that can.
 */
export function authoriseModel(
  models: ModelRegistry,
  { principal, route }: ModelCaller,
  name: string,
  kind: ModelKind = "chat",
  ability?: Ability,
): void {
  const model = models.find(name);
  authorise(principal, { endpoint: route.acl, model: modelNames(name, model) });
  if (model === null) throw unknownModel(models, principal, name, kind);
  if (ability !== undefined && !ability.has(model)) throw unableModel(models, principal, model, ability);
}

/** Returns the error for a model that cannot do what the endpoint needs. It names models that can and that the key may use. */
function unableModel(
  models: ModelRegistry,
  principal: Principal,
  { manifest: { id, kind } }: Model,
  ability: Ability,
): HearthError {
  const able = models
    .list()
    .filter((each) => each.unusable === null && ability.has(each) && mayUseModel(principal, each));
  const names = able.slice(0, namesMax).map(({ manifest }) => `'${manifest.id}'`);
  const advice =
    names.length === 0 ? "No model of this server can." : `Models that can: ${names.join(", ")}.`;
  return invalidValue("model", `'${id}' cannot ${ability.verb}: it is ${descriptions[kind]}. ${advice}`);
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
