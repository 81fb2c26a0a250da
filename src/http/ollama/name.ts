import type { ModelRegistry } from "../../core/model.js";

const defaultTag = ":latest";

/** Returns the name by which the server knows a model: clients add `:latest` to a name without a tag. */
export function knownName(models: ModelRegistry, name: string): string {
  if (!name.endsWith(defaultTag) || models.find(name) !== null) return name;
  const bare = name.slice(0, -defaultTag.length);
  return models.find(bare) === null ? name : bare;
}
