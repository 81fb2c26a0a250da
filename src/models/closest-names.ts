/** Finds the models whose names are closest to a name that no model has: by edit distance or by shared parts, such as `qwen3` and `4b`. */
import { HearthError } from "../core/errors.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { closestOfEach } from "../system/closest-texts.js";

/** Finds a model by id or alias, for a command. @throws HearthError `model_not_found` with the closest names. */
export function resolveModel(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model !== null) return model;
  const closest = closestNames(name, models.list());
  const hint = closest.length === 0 ? "`hearth ls` lists the models." : `Did you mean ${closest.join(", ")}?`;
  throw new HearthError("model_not_found", `There is no model '${name.slice(0, 200)}'. ${hint}`);
}

/** Returns one name, an id or an alias, of each of the closest models, the closest first; at most three. */
export function closestNames(name: string, models: readonly Model[]): readonly string[] {
  return closestOfEach(
    name,
    models.map(({ manifest }) => [manifest.id, ...manifest.aliases]),
  );
}
