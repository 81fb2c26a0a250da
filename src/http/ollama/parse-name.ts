import { HearthError } from "../../core/errors.js";

/** Returns the model that a request names. @throws HearthError `invalid_field` when it names none. */
export function nameOf({
  model,
  name,
}: {
  readonly model?: string | null | undefined;
  readonly name?: string | null | undefined;
}): string {
  const named = model ?? name ?? "";
  if (named === "") throw new HearthError("invalid_field", "model: is required", { param: "model" });
  return named;
}
