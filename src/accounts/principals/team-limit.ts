import type { Row } from "../../store/tables.js";

/** The model name of limits that apply to every model without limits of its own. */
export const everyModel = "*";

/**
 * The model name of limits on the requests of all models together. They hold in addition to those on each model; a model of this name
 * cannot have limits of its own.
 */
export const allModels = "total";

/**
 * The model name of limits on the requests of each end user, of all models together. They hold in addition, too; a request that names no
 * end user is not counted against them.
 */
export const eachEndUser = "each-end-user";

/**
 * A team's rate limits on a model; or on `everyModel`, whose limits apply to each model separately; or on `allModels`, or `eachEndUser`.
 */
export type TeamLimits = Row<"teamLimits">;

/**
 * Returns the limits of its team that hold for a request on the model: limits on the model, else limits on every model; limits on all
 * models together; and limits on each end user.
 */
export function limitsOn(model: string, limits: readonly TeamLimits[]): readonly TeamLimits[] {
  const of = (name: string) => limits.find((one) => one.model === name);
  const own = model === allModels || model === eachEndUser ? undefined : of(model);
  return [own ?? of(everyModel), of(allModels), of(eachEndUser)].filter((one) => one !== undefined);
}
