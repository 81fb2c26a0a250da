/** What the keys of the page have spent, and their budgets. */
import type { JSX } from "preact";
import { listKeyBudgets, type Budget } from "../../api/budgets.js";
import { getKeySpending, type ApiKey } from "../../api/keys.js";
import { now } from "../../lib/clock.js";
import { momentText } from "../../lib/format.js";
import { ticksText } from "../../lib/money.js";
import { useResource } from "../../lib/resource.js";
import { BudgetBars } from "../../parts/budgets/bars.js";
import { periodTitles } from "../../parts/budgets/describe-budget.js";
import type { OpenKey } from "./open-key.js";

export interface KeySpending {
  /** What each key has spent since the month began in UTC, in ticks, if anything; null until it is loaded. */
  readonly month: ReadonlyMap<string, bigint> | null;
  /** null until they are loaded. */
  readonly budgets: readonly Budget[] | null;
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Loads the spending and the budgets of keys. */
export function useKeySpending(teamId: string, keys: readonly ApiKey[] | null): KeySpending {
  const ids = (keys ?? []).map(({ apiKeyId }) => apiKeyId);
  const month = useResource(
    (signal) =>
      ids.length === 0 ? Promise.resolve(null) : getKeySpending(teamId, startOfMonth(), now(), signal),
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
  readonly apiKey: ApiKey;
  readonly spending: KeySpending;
}

/** What a key has spent this month. */
export function Spent({ apiKey, spending }: SpentProps): JSX.Element {
  if (spending.month === null) return <span class="hint">…</span>;
  const ticks = spending.month.get(apiKey.apiKeyId);
  // When there are more keys than are asked for, the keys with the least are summed under no name.
  if (ticks === undefined && spending.month.has("")) return <>–</>;
  return <>{ticksText(ticks ?? 0n)}</>;
}

interface BudgetsOfKeyProps extends SpentProps {
  /** Whether the member may set budgets. */
  readonly mayChange: boolean;
  readonly open: (dialog: OpenKey) => void;
}

/** The budgets of a key, with what is spent of each. */
export function BudgetsOfKey({ apiKey, spending, mayChange, open }: BudgetsOfKeyProps): JSX.Element {
  const own = (spending.budgets ?? []).filter(({ apiKeyId }) => apiKeyId === apiKey.apiKeyId);
  return (
    <div class="key-budgets">
      {own.map((budget) => (
        <div key={budget.period}>
          <p class="hint">
            {periodTitles[budget.period]}
            {budget.resetTime !== undefined && (
              <>
                , resets <time dateTime={budget.resetTime}>{momentText(budget.resetTime)}</time>
              </>
            )}
          </p>
          <BudgetBars budget={budget} name={apiKey.name} />
          {mayChange && (
            <p class="links">
              <button
                type="button"
                class="link"
                onClick={() => open({ kind: "edit-budget", key: apiKey, budget })}
              >
                Change
              </button>
              <button
                type="button"
                class="link"
                onClick={() => open({ kind: "remove-budget", key: apiKey, budget })}
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
          aria-label={`${own.length === 0 ? "Set" : "Add"} budget of ${apiKey.name}`}
          onClick={() => open({ kind: "create-budget", key: apiKey })}
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
