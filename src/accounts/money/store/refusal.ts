import { HearthError } from "../../../core/errors.js";
import { budgetRace } from "../budget-race.js";
import { noCreditsError } from "../ledger.js";
import type { Ticks } from "../../../core/money.js";
import { readRefusal, type Refusal } from "../../../store/dialect/database-error.js";

/**
 * Turns the violation of a ledger constraint into a HearthError for the client; returns any other value unchanged.
 * @param charge the team whose credit was to be taken, and the amount; null when it is not known.
 */
export function toLedgerError(thrown: unknown, charge: Charge): unknown {
  const refusal = readRefusal(thrown);
  return refusal === null ? thrown : (errors[refusal]?.(charge) ?? thrown);
}

interface Charge {
  readonly teamId: string;
  readonly ticks: Ticks | null;
}

const errors: Partial<Readonly<Record<Refusal, (charge: Charge) => HearthError>>> = {
  no_overdraft: ({ teamId, ticks }) => noCreditsError(teamId, ticks, "credit"),
  monthly_limit: ({ teamId, ticks }) => noCreditsError(teamId, ticks, "month"),
  budget: () => budgetRace(),
  countable: () =>
    new HearthError("invalid_value", "The team's credit would be more than can be counted.", {
      param: "amount",
    }),
};
