import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listEndpoints, listModelIds } from "../../api/access.js";
import { createGroup, updateGroup, type AccessGroup } from "../../api/groups.js";
import { useResource } from "../../lib/resource.js";
import { useTeam } from "../../session.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";
import { EndpointAndModelFields } from "../keys/access-fields.js";
import { readAccess, listAcls, type Access } from "../keys/describe.js";

interface GroupDialogProps {
  /** The group to change; without it, one is created. */
  readonly edited?: AccessGroup;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const newAccess: Access = { endpoints: null, models: [], groups: [] };

/** Asks for name, description, endpoints and models of a group. */
export function GroupDialog({ edited, onSaved, onClose }: GroupDialogProps): JSX.Element {
  const [name, setName] = useState(edited?.name ?? "");
  const [description, setDescription] = useState(edited?.description ?? "");
  const [access, setAccess] = useState<Access>(() =>
    edited === undefined ? newAccess : readAccess(edited.acls),
  );
  const save = async (): Promise<void> => {
    const settings = { description: description.trim(), acls: listAcls(access) };
    await (edited === undefined ? createGroup(name, settings) : updateGroup(name, settings));
    showToast(`The group “${name}” is saved.`);
    onSaved();
    onClose();
  };
  const isNew = edited === undefined;
  return (
    <Dialog title={isNew ? "Create group" : `Edit ${edited.name}`} onClose={onClose}>
      <Form action={isNew ? "Create group" : "Save"} onSubmit={save} onCancel={onClose}>
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
        <Choices access={access} onAccess={setAccess} />
      </Form>
    </Dialog>
  );
}

interface ChoicesProps {
  readonly access: Access;
  readonly onAccess: (access: Access) => void;
}

function Choices({ access, onAccess }: ChoicesProps): JSX.Element {
  const { teamId } = useTeam();
  const endpoints = useResource((signal) => listEndpoints(teamId, signal, true), [teamId]);
  const models = useResource(listModelIds, []);
  return (
    <>
      <EndpointAndModelFields
        endpoints={endpoints.value ?? []}
        models={models.value ?? []}
        chosen={access}
        onChosen={(chosen) => onAccess({ ...access, ...chosen })}
      />
    </>
  );
}
