import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { createTeam, updateTeam, type Team } from "../../api/teams.js";
import { useSignedIn } from "../../session.js";
import { Dialog } from "../../parts/dialog.js";
import { Empty } from "../../parts/empty.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { Table, type Column } from "../../parts/table.js";
import { AllowDialog } from "./allow-dialog.js";
import { aclText } from "../keys/describe.js";
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
        keyOf={({ teamId }) => teamId}
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
