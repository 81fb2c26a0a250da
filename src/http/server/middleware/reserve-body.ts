import type { BodyBudget, BodyPlace } from "../../../core/requests/body-budget.js";
import type { Context } from "../context.js";

/** Opens a place in the budget that is released when the request has ended in any way. */
export function reserveUntilEnd(res: Context["res"], budget: BodyBudget): BodyPlace {
  const place = budget.open();
  if (res.closed || res.destroyed) place.release();
  else res.once("close", () => place.release());
  return place;
}
