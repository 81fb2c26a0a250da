import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listEndpoints, listGroupNames, listModelIds } from "../../api/access.js";
import { updateTeam, type Team } from "../../api/teams.js";
import { useResource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Checkbox } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { AccessFields, EndpointAndModelFields } from "../keys/access-fields.js";
import { accessOf, aclsOf, type Access } from "../keys/describe.js";

interface AllowDialogProps {
  readonly team: Team;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks what the keys of a team may do at most. */
export function AllowDialog({ team, onSaved, onClose }: AllowDialogProps): JSX.Element {
  const [access, setAccess] = useState<Access | null>(() =>
    team.aclStrings === undefined ? null : accessOf(team.aclStrings),
  );
  const save = async (): Promise<void> => {
    await updateTeam(team.teamId, { acls: access === null ? null : aclsOf(access) });
    onSaved();
    onClose();
  };
  return (
    <Dialog title={`What ${team.name} allows`} onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <p>Each key of the team may do at most this, whatever is chosen for the key.</p>
        <Checkbox
          checked={access === null}
          onChecked={(isAll) => setAccess(isAll ? null : { endpoints: null, models: null, groups: [] })}
        >
          Everything
        </Checkbox>
        {access !== null && <Choices teamId={team.teamId} access={access} onAccess={setAccess} />}
      </Form>
    </Dialog>
  );
}

interface ChoicesProps {
  readonly teamId: string;
  readonly access: Access;
  readonly onAccess: (access: Access) => void;
}

function Choices({ teamId, access, onAccess }: ChoicesProps): JSX.Element {
  const endpoints = useResource((signal) => listEndpoints(teamId, signal, true), [teamId]);
  const models = useResource(listModelIds, []);
  const groups = useResource(listGroupNames, []);
  return (
    <>
      <EndpointAndModelFields
        endpoints={endpoints.value ?? []}
        models={models.value ?? []}
        chosen={access}
        onChosen={(chosen) => onAccess({ ...access, ...chosen })}
      />
      <AccessFields
        title="Access groups"
        names={groups.value ?? []}
        chosen={access.groups}
        onChosen={(chosen) => onAccess({ ...access, groups: chosen ?? [] })}
      />
    </>
  );
}
