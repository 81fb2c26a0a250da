/** Access groups: named lists of endpoints and models. Owners of the whole server change them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { deleteGroup, listGroups, type AccessGroup } from "../../api/groups.js";
import { countText } from "../../lib/format.js";
import { useResource } from "../../lib/resource.js";
import { useIsOperator } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table, type Column } from "../../parts/table.js";
import { Time } from "../../parts/time.js";
import { showToast } from "../../parts/toast.js";
import { readAccess } from "../keys/describe.js";
import { GroupDialog } from "./group-dialog.js";

type Open = { readonly kind: "create" } | { readonly kind: "edit" | "delete"; readonly group: AccessGroup };

/** The page. */
export function GroupsPage(): JSX.Element {
  const mayChange = useIsOperator();
  const groups = useResource(listGroups, []);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const create = mayChange && (
    <button type="button" class="primary" onClick={() => setOpen({ kind: "create" })}>
      Create group
    </button>
  );
  return (
    <>
      <PageHead title="Access groups">{create}</PageHead>
      <p class="hint lead">
        A group is a named list of endpoints and models. API keys and teams are given it in place of a list of
        their own; a change is effective at the next request of each key that has it.
      </p>
      <Table
        label="Access groups"
        columns={mayChange ? [...columns, actions(setOpen)] : columns}
        rows={groups}
        getKey={({ name }) => name}
        empty={
          <Empty title="No access groups yet">
            <p>
              {mayChange
                ? "Create one for models and endpoints that several keys or teams may use, such as all small models."
                : "An owner of the whole server creates them."}
            </p>
            {create}
          </Empty>
        }
      />
      {open?.kind === "create" && <GroupDialog onSaved={groups.reload} onClose={close} />}
      {open?.kind === "edit" && <GroupDialog edited={open.group} onSaved={groups.reload} onClose={close} />}
      {open?.kind === "delete" && (
        <DeleteDialog group={open.group} onDeleted={groups.reload} onClose={close} />
      )}
    </>
  );
}

const columns: readonly Column<AccessGroup>[] = [
  {
    title: "Group",
    cell: ({ name, description }) => (
      <>
        <strong class="model-name">{name}</strong>
        {description !== "" && <small class="below">{description}</small>}
      </>
    ),
  },
  { title: "Endpoints", cell: ({ acls }) => <Names names={readAccess(acls).endpoints} /> },
  { title: "Models", cell: ({ acls }) => <Names names={readAccess(acls).models} /> },
  { title: "Changed", cell: ({ modifyTime }) => <Time at={modifyTime} /> },
];

/** Names of a long list that are shown. */
const namesMax = 8;

/** @param names null: all */
function Names({ names }: { readonly names: readonly string[] | null }): JSX.Element {
  if (names === null) return <>all</>;
  if (names.length === 0) return <span class="hint">none</span>;
  const rest = names.length - namesMax;
  return (
    <span class="acls" title={rest > 0 ? names.join(", ") : undefined}>
      {names.slice(0, namesMax).join(", ")}
      {rest > 0 && ` and ${countText(rest)} more`}
    </span>
  );
}

function actions(open: (dialog: Open) => void): Column<AccessGroup> {
  return {
    title: "Actions",
    kind: "actions",
    cell: (group) => (
      <>
        <button type="button" aria-label={`Edit ${group.name}`} onClick={() => open({ kind: "edit", group })}>
          Edit
        </button>
        <button
          type="button"
          aria-label={`Delete ${group.name}`}
          onClick={() => open({ kind: "delete", group })}
        >
          Delete
        </button>
      </>
    ),
  };
}

interface DeleteDialogProps {
  readonly group: AccessGroup;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteDialog({ group, onDeleted, onClose }: DeleteDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteGroup(group.name);
    showToast(`The group “${group.name}” is deleted.`);
    onDeleted();
  };
  return (
    <Confirm title="Delete group" action="Delete group" onConfirm={remove} onClose={onClose}>
      <p>
        The group <strong>{group.name}</strong> is deleted, if no API key and no team has it. This cannot be
        undone.
      </p>
    </Confirm>
  );
}
