import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireAccessGroup } from "../../../http/management/access-groups.js";
import { send, sendChange } from "../../lib/client.js";
import { FormDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { useTeam } from "../../session.js";
import { AccessChoices } from "../keys/access-fields.js";
import { listAcls, readAccess } from "../keys/describe.js";

interface GroupDialogProps {
  /** The group to change; without it, one is created. */
  readonly edited?: WireAccessGroup;
  readonly onSaved: () => void;
}

/** Asks for name, description, endpoints and models of a group. */
export function GroupDialog({ edited, onSaved }: GroupDialogProps): JSX.Element {
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

export function toGroupPath(name: string): string {
  return `/auth/access-groups/${encodeURIComponent(name)}`;
}
