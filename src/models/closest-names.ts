/** Finds the models whose names are closest to a name that no model has: by edit distance or by shared parts, such as `qwen3` and `4b`. */
import { HearthError } from "../core/errors.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { measureSimilarity } from "../system/closest-texts.js";

const closestMax = 3;
/** Bound on the work of one unknown name. */
const comparedModelsMax = 2000;

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
  const found = models.slice(0, comparedModelsMax).flatMap(({ manifest }) => {
    const [best] = [manifest.id, ...manifest.aliases]
      .map((each) => ({ name: each, score: measureSimilarity(name, each) }))
      .sort((a, b) => b.score - a.score);
    return best === undefined || best.score === 0 ? [] : [best];
  });
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, closestMax)
    .map((each) => each.name);
}
