import type { JSX } from "preact";
import { updateKey, type ApiKey } from "../../api/keys.js";
import { momentText } from "../../lib/format.js";
import type { Column } from "../../parts/table.js";
import { Time } from "../../parts/time.js";
import { showError } from "../../parts/toast.js";
import { aclText, stateText } from "./describe.js";
import type { OpenKey } from "./open-key.js";
import { describeLimits } from "./setting-texts.js";
import { BudgetsOfKey, Spent, type KeySpending } from "./spending.js";

interface ColumnOptions {
  readonly spending: KeySpending;
  /** Whether the member may set budgets. */
  readonly mayBudget: boolean;
  readonly open: (dialog: OpenKey) => void;
  readonly reload: () => void;
}

/** Returns the columns of the list. */
export function keyColumns({ spending, mayBudget, open, reload }: ColumnOptions): readonly Column<ApiKey>[] {
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
            created <Time at={key.createTime} />
          </small>
        </>
      ),
    },
    { title: "May use", cell: mayUse },
    {
      title: "State",
      cell: (key) => (
        <>
          <span class={`state ${stateText(key)}`}>{stateText(key)}</span>
          {key.expireTime !== undefined && (
            <small class="below" title={momentText(key.expireTime)}>
              expires <Time at={key.expireTime} />
            </small>
          )}
        </>
      ),
    },
    {
      title: "This month",
      kind: "number",
      cell: (key) => <Spent apiKey={key} spending={spending} />,
    },
    {
      title: "Budget",
      cell: (key) => <BudgetsOfKey apiKey={key} spending={spending} mayChange={mayBudget} open={open} />,
    },
    {
      title: "Last used",
      cell: (key) => <>{key.lastUseTime === undefined ? "never" : <Time at={key.lastUseTime} />}</>,
    },
    {
      title: "Actions",
      kind: "actions",
      cell: (key) => <Actions apiKey={key} open={open} reload={reload} />,
    },
  ];
}

function mayUse(key: ApiKey): JSX.Element {
  const limits = describeLimits(key);
  return (
    <>
      {aclText(key.aclStrings)}
      {limits !== "" && <small class="below">{limits}</small>}
    </>
  );
}

interface ActionsProps extends Pick<ColumnOptions, "open" | "reload"> {
  readonly apiKey: ApiKey;
}

function Actions({ apiKey: key, open, reload }: ActionsProps): JSX.Element {
  const toggle = (): void =>
    void updateKey(key.apiKeyId, { disabled: !key.disabled }).then(reload, showError);
  return (
    <>
      <button type="button" onClick={() => open({ kind: "edit", key })}>
        Edit
      </button>
      <button type="button" onClick={toggle}>
        {key.disabled ? "Enable" : "Disable"}
      </button>
      {key.forConsole !== true && (
        <button type="button" onClick={() => open({ kind: "rotate", key })}>
          Rotate
        </button>
      )}
      <button type="button" onClick={() => open({ kind: "delete", key })}>
        Delete
      </button>
    </>
  );
}
