import { HearthError } from "../../../core/errors.js";
import { noCredits } from "../ledger.js";
import type { Ticks } from "../../../core/money.js";
import { codeOf } from "../../../store/failure.js";

/**
 * What a write that the books refused means to whoever asked for it; any other value as it is.
 * @param asked whose credit was to be taken, and how much of it; null where that is not known.
 */
export function refusalOf(thrown: unknown, asked: { teamId: string; ticks: Ticks | null }): unknown {
  const code = codeOf(thrown);
  if (code === "SQLITE_CONSTRAINT_CHECK" && thrown instanceof Error) {
    if (thrown.message.includes("no_overdraft")) return noCredits(asked.teamId, asked.ticks, "credit");
    if (thrown.message.includes("countable"))
      return new HearthError("invalid_value", "The team's credit would be more than can be counted.", {
        param: "amount",
      });
  }
  if (code === "SQLITE_CONSTRAINT_TRIGGER" && thrown instanceof Error && thrown.message === "monthly_limit")
    return noCredits(asked.teamId, asked.ticks, "month");
  return thrown;
}
