/** Access groups: named lists of endpoints and models. Owners of the whole server change them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireAccessGroup } from "../../http/management/access-groups.js";
import { send, sendChange } from "../lib/client.js";
import { countText } from "../lib/format.js";
import { useList } from "../lib/resource.js";
import { Confirm, openDialog, FormDialog } from "../parts/dialog.js";
import { Empty, PageHead } from "../parts/page.js";
import { actionColumn, Table, type Column } from "../parts/table.js";
import { Ago } from "../parts/text.js";
import { useIsOperator, useTeam } from "../session.js";
import { readAccess, listAcls } from "./keys/describe.js";
import { Field } from "../parts/field.js";
import { AccessChoices } from "./keys/access-fields.js";

/** The page. */
export function GroupsPage(): JSX.Element {
  const mayChange = useIsOperator();
  const groups = useList<WireAccessGroup>("/auth/access-groups", "accessGroups");
  const onSaved = groups.reload;
  const create = mayChange && (
    <button type="button" class="primary" onClick={() => openDialog(<GroupDialog onSaved={onSaved} />)}>
      Create group
    </button>
  );
  const actions = actionColumn<WireAccessGroup>((group) => [
    {
      text: "Edit",
      label: `Edit ${group.name}`,
      onClick: () => openDialog(<GroupDialog edited={group} onSaved={onSaved} />),
    },
    {
      text: "Delete",
      label: `Delete ${group.name}`,
      onClick: () => openDialog(<DeleteDialog name={group.name} onDeleted={onSaved} />),
    },
  ]);
  return (
    <>
      <PageHead title="Access groups">{create}</PageHead>
      <p class="hint lead">
        A group is a named list of endpoints and models. API keys and teams are given it in place of a list of
        their own; a change is effective at the next request of each key that has it.
      </p>
      <Table
        label="Access groups"
        columns={mayChange ? [...columns, actions] : columns}
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
    </>
  );
}

const columns: readonly Column<WireAccessGroup>[] = [
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
  { title: "Changed", cell: ({ modifyTime }) => <Ago at={modifyTime} /> },
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

interface DeleteDialogProps {
  readonly name: string;
  readonly onDeleted: () => void;
}

function DeleteDialog({ name, onDeleted }: DeleteDialogProps): JSX.Element {
  return (
    <Confirm
      title="Delete group"
      done={`The group “${name}” is deleted.`}
      onSubmit={() => send("DELETE", toGroupPath(name)).then(onDeleted)}
    >
      <p>
        The group <strong>{name}</strong> is deleted, if no API key and no team has it. This cannot be undone.
      </p>
    </Confirm>
  );
}

interface GroupDialogProps {
  /** The group to change; without it, one is created. */
  readonly edited?: WireAccessGroup;
  readonly onSaved: () => void;
}

/** Asks for name, description, endpoints and models of a group. */
function GroupDialog({ edited, onSaved }: GroupDialogProps): JSX.Element {
  const { teamId } = useTeam();
  const isNew = edited === undefined;
  const [name, setName] = useState(edited?.name ?? "");
  const [description, setDescription] = useState(edited?.description ?? "");
  const [access, setAccess] = useState(() =>
    isNew ? { endpoints: null, models: [], groups: [] } : readAccess(edited.acls),
  );
  const save = async (): Promise<void> => {
    const accessGroup = { description: description.trim(), acls: listAcls(access) };
    if (isNew) await send("POST", "/auth/access-groups", { name, ...accessGroup });
    else await sendChange(toGroupPath(name), "accessGroup", accessGroup);
    onSaved();
  };
  return (
    <FormDialog
      title={isNew ? "Create group" : `Edit ${edited.name}`}
      action={isNew ? "Create group" : "Save"}
      done={`The group “${name}” is saved.`}
      onSubmit={save}
    >
      {isNew && (
        <Field
          label="Name"
          hint="Letters, digits, dots, hyphens and underscores. It cannot be changed later."
          required
          autofocus
          maxLength={64}
          value={name}
          onValue={setName}
        />
      )}
      <Field
        label="Description"
        hint="What it is for."
        maxLength={500}
        autofocus={!isNew}
        value={description}
        onValue={setDescription}
      />
      <AccessChoices teamId={teamId} isOfServer access={access} onAccess={setAccess} />
    </FormDialog>
  );
}

function toGroupPath(name: string): string {
  return `/auth/access-groups/${encodeURIComponent(name)}`;
}
