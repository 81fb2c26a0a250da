import type { RequestBound } from "../../../accounts/budgets/refusal.js";
import { toLedgerError } from "../../../accounts/money/store/refusal.js";
import type { Ticks } from "../../../core/money.js";
import type { Database } from "../../../store/database.js";
import { prepareBinding } from "../../../store/prepared.js";
import type { Row } from "../../../store/tables.js";
import { statementsOf, type Write } from "../../../store/writes.js";

/** All that is reserved for a run. */
export interface EnlargedRun {
  readonly teamId: string;
  readonly reservedTicks: Ticks | null;
  readonly bound: RequestBound;
}

type Enlargement = Pick<Row<"runs">, "id" | "reservedTicks" | "boundTicks" | "boundTokens">;

/**
 * Returns the function that sets what is reserved for a running run, after more was reserved, together with other writes: those of the
 * ledger. It throws HearthErrors: `no_credits`, `budget_exceeded` and `overloaded` as for a new run, `conflict` when the run is not running.
 */
export function createEnlarging({ kysely, commit }: Database) {
  const names = ["id", "reservedTicks", "boundTicks", "boundTokens"] as const;
  const enlarging = prepareBinding(names, ({ id, ...reserved }: Enlargement) =>
    kysely.updateTable("runs").set(reserved).where("id", "=", id).where("state", "=", "running"),
  );
  return async (
    id: string,
    { teamId, reservedTicks, bound }: EnlargedRun,
    writes: readonly Write[],
  ): Promise<void> => {
    const row = { id, reservedTicks, boundTicks: bound.ticks, boundTokens: bound.tokens };
    try {
      await commit([{ query: enlarging(row), rows: 1 }, ...statementsOf(writes)], false);
    } catch (thrown) {
      throw toLedgerError(thrown, { teamId, ticks: null });
    }
  };
}
