import { mayUseModel } from "../accounts/principals/permissions.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { invalidValue } from "../dialects/field-error.js";
import { descriptions } from "../inference/usable-model.js";
import type { Caller } from "./authorise-model.js";

/** What an endpoint needs of a model. */
export interface Ability {
  /** The end of a sentence that begins with `cannot`. */
  readonly verb: string;
  has(model: Model): boolean;
}

const namesMax = 5;

/**
 * Checks that a model can do what an endpoint needs. The key may use the model already.
 * @throws HearthError `invalid_value` that names models that can and that the key may use.
 */
export function requireAbility(
  models: ModelRegistry,
  { principal }: Caller,
  name: string,
  ability: Ability,
): void {
  const model = models.find(name);
  if (model === null || ability.has(model)) return;
  const able = models
    .list()
    .filter((each) => each.unusable === null && ability.has(each) && mayUseModel(principal, each));
  const names = able.slice(0, namesMax).map(({ manifest }) => `'${manifest.id}'`);
  const advice =
    names.length === 0 ? "No model of this server can." : `Models that can: ${names.join(", ")}.`;
  const { id, kind } = model.manifest;
  throw invalidValue("model", `'${id}' cannot ${ability.verb}: it is ${descriptions[kind]}. ${advice}`);
}
