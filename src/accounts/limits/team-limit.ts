import type { Limits } from "../../core/limits.js";

/** The model name of limits that apply to every model without limits of its own. */
export const everyModel = "*";

/** A team's rate limits on a model. */
export interface TeamLimits extends Limits {
  readonly teamId: string;
  /** Id of the model, or `everyModel`, whose limits apply to each model separately. */
  readonly model: string;
}
