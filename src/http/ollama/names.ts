/** Names of models in requests of Ollama's clients. */
import type { ModelRegistry } from "../../core/model.js";
import { HearthError } from "../../core/errors.js";

const defaultTag = ":latest";

/** Returns the name by which the server knows a model: clients add `:latest` to a name without a tag. */
export function knownName(models: ModelRegistry, name: string): string {
  if (!name.endsWith(defaultTag) || models.find(name) !== null) return name;
  const bare = name.slice(0, -defaultTag.length);
  return models.find(bare) === null ? name : bare;
}

/** Returns the model that a request names. @throws HearthError `invalid_field` when it names none. */
export function requireName({
  model,
  name,
}: {
  readonly model?: string | null;
  readonly name?: string | null;
}): string {
  const named = model ?? name ?? "";
  if (named === "") throw new HearthError("invalid_field", "model: is required", { param: "model" });
  return named;
}
