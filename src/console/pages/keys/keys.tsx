/** API keys: lists them, and creates, changes, rotates and deletes them. */
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { deleteKey, listKeys, type ApiKey } from "../../api/keys.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { usePages } from "../../lib/resource.js";
import { useRole, useTeam } from "../../session.js";
import { BudgetDialog } from "../../parts/budgets/budget-dialog.js";
import { RemoveBudgetDialog } from "../../parts/budgets/remove-budget-dialog.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { ErrorBox } from "../../parts/error-box.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table } from "../../parts/table.js";
import { showToast } from "../../parts/toast.js";
import { keyColumns } from "./columns.js";
import type { OpenKey } from "./open-key.js";
import { KeyDialog } from "./key-dialog.js";
import { RotateDialog } from "./rotate-dialog.js";
import { useKeySpending, type KeySpending } from "./spending.js";

type Open = { readonly kind: "create" } | OpenKey;

/** The page. */
export function KeysPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const text = query.get("q") ?? "";
  const keys = usePages((token, signal) => listKeys(teamId, text, token, signal), [teamId, text]);
  const spending = useKeySpending(teamId, keys.value);
  const mayBudget = useRole("owner");
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
      {spending.error !== null && <ErrorBox error={spending.error} onRetry={spending.reload} />}
      <Table
        label="API keys"
        columns={keyColumns({ spending, mayBudget, open: setOpen, reload: keys.reload })}
        rows={keys}
        getKey={({ apiKeyId }) => apiKeyId}
        empty={<NoKeys text={text} onCreate={() => setOpen({ kind: "create" })} />}
      />
      {open !== null && "key" in open && (
        <BudgetDialogs teamId={teamId} open={open} spending={spending} onClose={close} />
      )}
      {open?.kind === "create" && <KeyDialog teamId={teamId} onSaved={keys.reload} onClose={close} />}
      {open?.kind === "edit" && (
        <KeyDialog teamId={teamId} edited={open.key} onSaved={keys.reload} onClose={close} />
      )}
      {open?.kind === "rotate" && <RotateDialog apiKey={open.key} onSaved={keys.reload} onClose={close} />}
      {open?.kind === "delete" && <DeleteDialog apiKey={open.key} onDeleted={keys.reload} onClose={close} />}
    </>
  );
}

interface BudgetDialogsProps {
  readonly teamId: string;
  readonly open: OpenKey;
  readonly spending: KeySpending;
  readonly onClose: () => void;
}

function BudgetDialogs({ teamId, open, spending, onClose }: BudgetDialogsProps): JSX.Element | null {
  const common = { teamId, name: open.key.name, onSaved: spending.reload, onClose };
  const existing = spending.budgets ?? [];
  if (open.kind === "create-budget")
    return (
      <BudgetDialog
        {...common}
        apiKeyId={open.key.apiKeyId}
        existing={existing}
        subjects={null}
        mayTeam={false}
      />
    );
  if (open.kind === "edit-budget")
    return <BudgetDialog {...common} edited={open.budget} existing={[]} subjects={null} mayTeam={false} />;
  return open.kind === "remove-budget" ? <RemoveBudgetDialog {...common} budget={open.budget} /> : null;
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
