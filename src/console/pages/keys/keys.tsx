/** API keys: lists them, and creates, changes, rotates and deletes them. */
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { deleteKey, listKeys, updateKey, type ApiKey } from "../../api/keys.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { usePages } from "../../lib/resource.js";
import { useTeam } from "../../lib/session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table, type Column } from "../../parts/table.js";
import { Time } from "../../parts/time.js";
import { showError, showToast } from "../../parts/toast.js";
import { aclText, stateText } from "./describe.js";
import { KeyDialog } from "./key-dialog.js";
import { RotateDialog } from "./rotate-dialog.js";

type Open =
  { readonly kind: "create" } | { readonly kind: "edit" | "rotate" | "delete"; readonly key: ApiKey };

/** The page. */
export function KeysPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const text = query.get("q") ?? "";
  const keys = usePages((token, signal) => listKeys(teamId, text, token, signal), [teamId, text]);
  const [open, setOpen] = useState<Open | null>(null);
  const search = useCallback((q: string) => navigate(pageHref("keys", { q }), { replace: true }), []);
  const close = (): void => setOpen(null);
  return (
    <>
      <PageHead title="API keys">
        <SearchField label="Search keys" value={text} onSearch={search} />
        <button type="button" class="primary" onClick={() => setOpen({ kind: "create" })}>
          Create key
        </button>
      </PageHead>
      <Table
        label="API keys"
        columns={columns(setOpen, keys.reload)}
        rows={keys}
        keyOf={({ apiKeyId }) => apiKeyId}
        empty={<NoKeys text={text} onCreate={() => setOpen({ kind: "create" })} />}
      />
      {open?.kind === "create" && <KeyDialog teamId={teamId} onSaved={keys.reload} onClose={close} />}
      {open?.kind === "edit" && (
        <KeyDialog teamId={teamId} edited={open.key} onSaved={keys.reload} onClose={close} />
      )}
      {open?.kind === "rotate" && <RotateDialog apiKey={open.key} onSaved={keys.reload} onClose={close} />}
      {open?.kind === "delete" && <DeleteDialog apiKey={open.key} onDeleted={keys.reload} onClose={close} />}
    </>
  );
}

function columns(open: (dialog: Open) => void, reload: () => void): readonly Column<ApiKey>[] {
  const toggle = ({ apiKeyId, disabled }: ApiKey): void =>
    void updateKey(apiKeyId, { disabled: !disabled }).then(reload, showError);
  return [
    {
      title: "Name",
      cell: (key) => (
        <>
          <strong>{key.name}</strong>
          <br />
          <code>{key.redactedApiKey}</code>
        </>
      ),
    },
    { title: "May use", cell: (key) => aclText(key.aclStrings) },
    { title: "State", cell: (key) => <span class={`state ${stateText(key)}`}>{stateText(key)}</span> },
    { title: "Created", cell: (key) => <Time at={key.createTime} /> },
    {
      title: "Last used",
      cell: (key) => (key.lastUseTime === undefined ? "never" : <Time at={key.lastUseTime} />),
    },
    {
      title: "Actions",
      kind: "actions",
      cell: (key) => (
        <>
          <button type="button" onClick={() => open({ kind: "edit", key })}>
            Edit
          </button>
          <button type="button" onClick={() => toggle(key)}>
            {key.disabled ? "Enable" : "Disable"}
          </button>
          <button type="button" onClick={() => open({ kind: "rotate", key })}>
            Rotate
          </button>
          <button type="button" onClick={() => open({ kind: "delete", key })}>
            Delete
          </button>
        </>
      ),
    },
  ];
}

function NoKeys({ text, onCreate }: { readonly text: string; readonly onCreate: () => void }): JSX.Element {
  if (text !== "") return <Empty title={`No key has “${text}” in its name`} />;
  return (
    <Empty title="No API keys yet">
      <p>
        A program needs a key to use the models. Create one for each program, so that you can tell them apart.
      </p>
      <button type="button" class="primary" onClick={onCreate}>
        Create key
      </button>
    </Empty>
  );
}

interface DeleteDialogProps {
  readonly apiKey: ApiKey;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteDialog({ apiKey, onDeleted, onClose }: DeleteDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteKey(apiKey.apiKeyId);
    showToast(`The key “${apiKey.name}” is deleted.`);
    onDeleted();
  };
  return (
    <Confirm title="Delete key" action="Delete key" onConfirm={remove} onClose={onClose}>
      <p>
        Requests with the key <strong>{apiKey.name}</strong> are rejected from now on. This cannot be undone.
      </p>
    </Confirm>
  );
}
