import { HearthError } from "../../core/errors.js";

/** The error for a request that concurrent requests left nothing for, and whose budget is no longer short. */
export function budgetRace(): HearthError {
  const message = "Budget exceeded: concurrent requests have reserved what is left. Please try again.";
  return new HearthError("budget_exceeded", message, { retryAfterSeconds: 1, shouldRetry: true });
}
