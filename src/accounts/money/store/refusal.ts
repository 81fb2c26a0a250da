import { HearthError } from "../../../core/errors.js";
import { budgetRace } from "../../budgets/refusal.js";
import { noCreditsError } from "../ledger.js";
import type { Ticks } from "../../../core/money.js";
import { errorCodeOf } from "../../../store/failure.js";

/**
 * Turns the violation of a ledger constraint into a HearthError for the client; returns any other value unchanged.
 * @param charge the team whose credit was to be taken, and the amount; null when it is not known.
 */
export function toLedgerError(thrown: unknown, charge: { teamId: string; ticks: Ticks | null }): unknown {
  const code = errorCodeOf(thrown);
  if (code === "SQLITE_CONSTRAINT_CHECK" && thrown instanceof Error) {
    if (thrown.message.includes("no_overdraft")) return noCreditsError(charge.teamId, charge.ticks, "credit");
    if (thrown.message.includes("countable"))
      return new HearthError("invalid_value", "The team's credit would be more than can be counted.", {
        param: "amount",
      });
  }
  if (code === "SQLITE_CONSTRAINT_TRIGGER" && thrown instanceof Error) {
    if (thrown.message === "monthly_limit") return noCreditsError(charge.teamId, charge.ticks, "month");
    if (thrown.message === "budget") return budgetRace();
  }
  return thrown;
}
