/** API keys: lists them, and creates, changes, rotates and deletes them. */
import type { JSX } from "preact";
import type { WireListedKey } from "../../../http/management/keys/present-key.js";
import { useLocation } from "../../lib/location.js";
import { usePages, useResource } from "../../lib/resource.js";
import { openDialog, Confirm } from "../../parts/dialog.js";
import { SearchField } from "../../parts/field.js";
import { Empty, ErrorBox, PageHead } from "../../parts/page.js";
import { Table, actionColumn, type Column } from "../../parts/table.js";
import { useRole, useTeam } from "../../session.js";
import { KeyDialog, RotateDialog } from "./key-dialog.js";
import { send, sendChange } from "../../lib/client.js";
import { momentText } from "../../lib/format.js";
import { Ago, Moment } from "../../parts/text.js";
import { showError } from "../../parts/toast.js";
import { aclText } from "./describe.js";
import { describeLimits } from "./setting-texts.js";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import { listKeyBudgets } from "../../api/budgets.js";
import { getKeySpending } from "../../api/usage.js";
import { now } from "../../lib/clock.js";
import { ticksText } from "../../lib/money.js";
import { BudgetBars } from "../../parts/budgets/bars.js";
import { BudgetDialog, RemoveBudgetDialog } from "../../parts/budgets/budget-dialog.js";
import { periodTitles } from "../../parts/budgets/describe-budget.js";

/** The page. */
export function KeysPage(): JSX.Element {
  const { teamId } = useTeam();
  const query = useLocation().query.get("q") ?? "";
  const keys = usePages<WireListedKey>(`/auth/teams/${teamId}/api-keys`, "apiKeys", { query });
  const spending = useKeySpending(teamId, keys.value);
  const mayBudget = useRole("owner");
  const create = (
    <button type="button" class="primary" onClick={() => openDialog(<KeyDialog onSaved={keys.reload} />)}>
      Create key
    </button>
  );
  return (
    <>
      <PageHead title="API keys">
        <SearchField label="Search keys" />
        {create}
      </PageHead>
      {spending.error !== null && <ErrorBox error={spending.error} onRetry={spending.reload} />}
      <Table
        label="API keys"
        columns={keyColumns(spending, mayBudget, keys.reload)}
        rows={keys}
        getKey={({ apiKeyId }) => apiKeyId}
        empty={
          query === "" ? (
            <Empty title="No API keys yet">
              <p>
                A program needs a key to use the models. Create one for each program, so that you can tell
                them apart.
              </p>
              {create}
            </Empty>
          ) : (
            <Empty title={`No key has “${query}” in its name`} />
          )
        }
      />
    </>
  );
}

/** Returns the columns of the list. @param mayBudget whether the member may set budgets */
function keyColumns(
  spending: SpendingOfKeys,
  mayBudget: boolean,
  reload: () => void,
): readonly Column<WireListedKey>[] {
  return [
    {
      title: "Name",
      cell: (key) => (
        <>
          <strong class="model-name">{key.name}</strong>
          {key.forConsole === true ? (
            <small class="below">used by the console, without a secret</small>
          ) : (
            <code class="whole">{key.redactedApiKey}</code>
          )}
          <small class="below">
            created <Ago at={key.createTime} />
          </small>
        </>
      ),
    },
    { title: "May use", cell: mayUse },
    {
      title: "State",
      cell: (key) => (
        <>
          <span class={`state ${keyStateText(key)}`}>{keyStateText(key)}</span>
          {key.expireTime !== undefined && (
            <small class="below" title={momentText(key.expireTime)}>
              expires <Ago at={key.expireTime} />
            </small>
          )}
        </>
      ),
    },
    {
      title: "This month",
      kind: "number",
      cell: (key) => <SpentThisMonth apiKey={key} spending={spending} />,
    },
    {
      title: "Budget",
      cell: (key) => <BudgetsOfKey apiKey={key} spending={spending} mayChange={mayBudget} />,
    },
    {
      title: "Last used",
      cell: (key) => <>{key.lastUseTime === undefined ? "never" : <Ago at={key.lastUseTime} />}</>,
    },
    actionColumn((key) => [
      { text: "Edit", onClick: () => openDialog(<KeyDialog edited={key} onSaved={reload} />) },
      {
        text: key.disabled ? "Enable" : "Disable",
        onClick: () =>
          void sendChange(`/auth/api-keys/${key.apiKeyId}`, "apiKey", { disabled: !key.disabled }).then(
            reload,
            showError,
          ),
      },
      key.forConsole !== true && {
        text: "Rotate",
        onClick: () => openDialog(<RotateDialog apiKey={key} onSaved={reload} />),
      },
      { text: "Delete", onClick: () => openDialog(<DeleteDialog apiKey={key} onDeleted={reload} />) },
    ]),
  ];
}

function mayUse(key: WireListedKey): JSX.Element {
  const limits = describeLimits(key);
  return (
    <>
      {aclText(key.aclStrings)}
      {limits !== "" && <small class="below">{limits}</small>}
    </>
  );
}

interface DeleteDialogProps {
  readonly apiKey: WireListedKey;
  readonly onDeleted: () => void;
}

function DeleteDialog({ apiKey: { apiKeyId, name }, onDeleted }: DeleteDialogProps): JSX.Element {
  return (
    <Confirm
      title="Delete key"
      done={`The key “${name}” is deleted.`}
      onSubmit={() => send("DELETE", `/auth/api-keys/${apiKeyId}`).then(onDeleted)}
    >
      <p>
        Requests with the key <strong>{name}</strong> are rejected from now on. This cannot be undone.
      </p>
    </Confirm>
  );
}

// What the keys of the page have spent, and their budgets.

interface SpendingOfKeys {
  /** What each key has spent since the month began in UTC, in ticks, if anything; null until it is loaded. */
  readonly month: ReadonlyMap<string, bigint> | null;
  /** null until they are loaded. */
  readonly budgets: readonly WireBudget[] | null;
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Loads the spending and the budgets of keys. */
function useKeySpending(teamId: string, keys: readonly WireListedKey[] | null): SpendingOfKeys {
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
function SpentThisMonth({ apiKey, spending }: SpentProps): JSX.Element {
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
function BudgetsOfKey({ apiKey, spending, mayChange }: BudgetsOfKeyProps): JSX.Element {
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

/** Returns in one word whether the key works. */
function keyStateText({ disabled, blocked, expireTime }: WireListedKey): string {
  if (blocked === true) return "blocked";
  if (disabled) return "disabled";
  return expireTime !== undefined && new Date(expireTime).getTime() <= now() ? "expired" : "active";
}
