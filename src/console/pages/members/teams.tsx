import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listEndpoints, listGroupNames, listModelIds } from "../../api/access.js";
import { createTeam, updateTeam, type Team } from "../../api/teams.js";
import { useResource } from "../../lib/resource.js";
import { useSignedIn } from "../../session.js";
import { Dialog } from "../../parts/dialog.js";
import { Empty } from "../../parts/empty.js";
import { Field, Checkbox } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { Table, type Column } from "../../parts/table.js";
import { AccessFields, EndpointAndModelFields } from "../keys/access-fields.js";
import { aclText, readAccess, listAcls, type Access } from "../keys/describe.js";
import { Time } from "../../parts/time.js";
import { showError } from "../../parts/toast.js";

/** The teams of the server, for its owners. */
export function Teams(): JSX.Element {
  const { teams, chooseTeam, reloadTeams } = useSignedIn();
  const [open, setOpen] = useState<{ readonly team: Team | null } | null>(null);
  const [limited, setLimited] = useState<Team | null>(null);
  const toggle = ({ teamId, blocked }: Team): void =>
    void updateTeam(teamId, { blocked: !blocked }).then(reloadTeams, showError);
  const columns: readonly Column<Team>[] = [
    { title: "Team", cell: ({ name }) => <strong>{name}</strong> },
    { title: "Billing", cell: ({ billing }) => billing },
    {
      title: "Allows",
      cell: ({ aclStrings }) => (aclStrings === undefined ? "everything" : aclText(aclStrings)),
    },
    {
      title: "State",
      cell: ({ blocked, keepBodies }) => (
        <>
          <span class={blocked ? "state bad" : "state good"}>{blocked ? "blocked" : "active"}</span>
          {keepBodies && <small class="below">keeps texts of requests</small>}
        </>
      ),
    },
    { title: "Created", cell: ({ createTime }) => <Time at={createTime} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: (team) => (
        <>
          <button type="button" onClick={() => chooseTeam(team.teamId)}>
            Show
          </button>
          <button type="button" onClick={() => setOpen({ team })}>
            Rename
          </button>
          <button type="button" onClick={() => setLimited(team)}>
            Allow
          </button>
          <button type="button" onClick={() => toggle(team)}>
            {team.blocked ? "Unblock" : "Block"}
          </button>
        </>
      ),
    },
  ];
  return (
    <>
      <header class="page-head">
        <h2>Teams</h2>
        <button type="button" onClick={() => setOpen({ team: null })}>
          Create team
        </button>
      </header>
      <Table
        label="Teams"
        columns={columns}
        rows={{ value: teams, error: null, isLoading: false, reload: reloadTeams }}
        getKey={({ teamId }) => teamId}
        empty={<Empty title="No teams" />}
      />
      {limited !== null && (
        <AllowDialog team={limited} onSaved={reloadTeams} onClose={() => setLimited(null)} />
      )}
      {open !== null && <TeamDialog team={open.team} onSaved={reloadTeams} onClose={() => setOpen(null)} />}
    </>
  );
}

interface TeamDialogProps {
  /** null: a new one. */
  readonly team: Team | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

function TeamDialog({ team, onSaved, onClose }: TeamDialogProps): JSX.Element {
  const [name, setName] = useState(team?.name ?? "");
  const save = async (): Promise<void> => {
    await (team === null ? createTeam(name) : updateTeam(team.teamId, { name }));
    onSaved();
    onClose();
  };
  const action = team === null ? "Create team" : "Rename team";
  return (
    <Dialog title={action} onClose={onClose}>
      <Form action={action} onSubmit={save} onCancel={onClose}>
        <Field
          label="Name"
          {...(team === null
            ? { hint: "A new team is prepaid: it needs credit before its keys can be used." }
            : {})}
          required
          autofocus
          maxLength={100}
          value={name}
          onValue={setName}
        />
      </Form>
    </Dialog>
  );
}

interface AllowDialogProps {
  readonly team: Team;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks what the keys of a team may do at most. */
function AllowDialog({ team, onSaved, onClose }: AllowDialogProps): JSX.Element {
  const [access, setAccess] = useState<Access | null>(() =>
    team.aclStrings === undefined ? null : readAccess(team.aclStrings),
  );
  const save = async (): Promise<void> => {
    await updateTeam(team.teamId, { acls: access === null ? null : listAcls(access) });
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
