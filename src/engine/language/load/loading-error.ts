import { HearthError } from "../../../core/errors.js";
import type { Model } from "../../../core/model.js";

/** Returns the error for a model that cannot be loaded, without its path. */
export function loadingError({ manifest, path }: Model, thrown: unknown): HearthError {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `The model '${manifest.id}' cannot be loaded: ${why.replaceAll(path, manifest.file)}`;
  return new HearthError("model_unavailable", message, { param: "model", cause: thrown });
}
