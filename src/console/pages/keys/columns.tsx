import type { JSX } from "preact";
import type { WireListedKey } from "../../../http/management/keys/present-key.js";
import { send, sendChange } from "../../lib/client.js";
import { momentText } from "../../lib/format.js";
import { Confirm, openDialog } from "../../parts/dialog.js";
import { actionColumn, type Column } from "../../parts/table.js";
import { Ago } from "../../parts/text.js";
import { showError } from "../../parts/toast.js";
import { aclText, keyStateText } from "./describe.js";
import { KeyDialog, RotateDialog } from "./key-dialog.js";
import { describeLimits } from "./setting-texts.js";
import { BudgetsOfKey, SpentThisMonth, type SpendingOfKeys } from "./spending.js";

/** Returns the columns of the list. @param mayBudget whether the member may set budgets */
export function keyColumns(
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
