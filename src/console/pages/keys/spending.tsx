/** What the keys of the page have spent, and their budgets. */
import type { JSX } from "preact";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import type { WireListedKey } from "../../../http/management/keys/present-key.js";
import { listKeyBudgets } from "../../api/budgets.js";
import { getKeySpending } from "../../api/usage.js";
import { now } from "../../lib/clock.js";
import { ticksText } from "../../lib/money.js";
import { useResource } from "../../lib/resource.js";
import { BudgetBars } from "../../parts/budgets/bars.js";
import { BudgetDialog, RemoveBudgetDialog } from "../../parts/budgets/budget-dialog.js";
import { periodTitles } from "../../parts/budgets/describe-budget.js";
import { openDialog } from "../../parts/dialog.js";
import { Moment } from "../../parts/text.js";

export interface SpendingOfKeys {
  /** What each key has spent since the month began in UTC, in ticks, if anything; null until it is loaded. */
  readonly month: ReadonlyMap<string, bigint> | null;
  /** null until they are loaded. */
  readonly budgets: readonly WireBudget[] | null;
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Loads the spending and the budgets of keys. */
export function useKeySpending(teamId: string, keys: readonly WireListedKey[] | null): SpendingOfKeys {
  const ids = (keys ?? []).map(({ apiKeyId }) => apiKeyId);
  const month = useResource(
    (signal) =>
      ids.length === 0
        ? Promise.resolve(null)
        : getKeySpending(teamId, { from: startOfMonth(), to: now() }, signal),
    [teamId, ids.length === 0],
  );
  const budgets = useResource((signal) => listKeyBudgets(teamId, ids, signal), [teamId, ids.join()]);
  return {
    month: month.value,
    budgets: budgets.value,
    error: budgets.error ?? month.error,
    reload: budgets.reload,
  };
}

interface SpentProps {
  readonly apiKey: WireListedKey;
  readonly spending: SpendingOfKeys;
}

/** What a key has spent this month. */
export function SpentThisMonth({ apiKey, spending }: SpentProps): JSX.Element {
  if (spending.month === null) return <span class="hint">…</span>;
  const ticks = spending.month.get(apiKey.apiKeyId);
  // When there are more keys than are asked for, the keys with the least are summed under no name.
  if (ticks === undefined && spending.month.has("")) return <>–</>;
  return <>{ticksText(ticks ?? 0n)}</>;
}

interface BudgetsOfKeyProps extends SpentProps {
  /** Whether the member may set budgets. */
  readonly mayChange: boolean;
}

/** The budgets of a key, with what is spent of each. */
export function BudgetsOfKey({ apiKey, spending, mayChange }: BudgetsOfKeyProps): JSX.Element {
  const { apiKeyId, name } = apiKey;
  const own = (spending.budgets ?? []).filter((budget) => budget.apiKeyId === apiKeyId);
  const common = { name, onSaved: spending.reload };
  const create = (): void =>
    openDialog(<BudgetDialog {...common} apiKeyId={apiKeyId} existing={spending.budgets ?? []} />);
  return (
    <div class="key-budgets">
      {own.map((budget) => (
        <div key={budget.period}>
          <p class="hint">
            {periodTitles[budget.period]}
            {budget.resetTime !== undefined && (
              <>
                , resets <Moment at={budget.resetTime} />
              </>
            )}
          </p>
          <BudgetBars budget={budget} name={name} />
          {mayChange && (
            <p class="links">
              <button
                type="button"
                class="link"
                onClick={() => openDialog(<BudgetDialog {...common} edited={budget} existing={[]} />)}
              >
                Change
              </button>
              <button
                type="button"
                class="link"
                onClick={() => openDialog(<RemoveBudgetDialog {...common} budget={budget} />)}
              >
                Remove
              </button>
            </p>
          )}
        </div>
      ))}
      {own.length === 0 && !mayChange && <span class="hint">none</span>}
      {mayChange && own.length < Object.keys(periodTitles).length && (
        <button
          type="button"
          class="link"
          aria-label={`${own.length === 0 ? "Set" : "Add"} budget of ${name}`}
          onClick={create}
        >
          {own.length === 0 ? "Set budget" : "Add budget"}
        </button>
      )}
    </div>
  );
}

/** Returns the start of the month in UTC, as budgets have it; milliseconds since 1970. */
function startOfMonth(): number {
  const today = new Date(now());
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
}
