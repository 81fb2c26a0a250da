import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireTeam } from "../../../http/management/teams/present-team.js";
import { send, sendChange } from "../../lib/client.js";
import { loaded } from "../../lib/resource.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Checkbox, Field } from "../../parts/field.js";
import { Empty } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { Ago } from "../../parts/text.js";
import { showError } from "../../parts/toast.js";
import { useSignedIn } from "../../session.js";
import { AccessChoices } from "../keys/access-fields.js";
import { aclText, everything, listAcls, readAccess } from "../keys/describe.js";

/** The teams of the server, for its owners. */
export function Teams(): JSX.Element {
  const { teams, chooseTeam, reloadTeams } = useSignedIn();
  const actions = actionColumn<WireTeam>((team) => {
    const { teamId, blocked } = team;
    return [
      { text: "Show", onClick: () => chooseTeam(teamId) },
      { text: "Rename", onClick: () => openDialog(<TeamDialog team={team} />) },
      { text: "Allow", onClick: () => openDialog(<AllowDialog team={team} />) },
      {
        text: blocked ? "Unblock" : "Block",
        onClick: () =>
          void sendChange(`/auth/teams/${teamId}`, "team", { blocked: !blocked }).then(
            reloadTeams,
            showError,
          ),
      },
    ];
  });
  return (
    <>
      <header class="page-head">
        <h2>Teams</h2>
        <button type="button" onClick={() => openDialog(<TeamDialog team={null} />)}>
          Create team
        </button>
      </header>
      <Table
        label="Teams"
        columns={[...columns, actions]}
        rows={loaded(teams, reloadTeams)}
        getKey={({ teamId }) => teamId}
        empty={<Empty title="No teams" />}
      />
    </>
  );
}

const columns: readonly Column<WireTeam>[] = [
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
  { title: "Created", cell: ({ createTime }) => <Ago at={createTime} /> },
];

/** Asks for the name of a team. @param props its team is null for a new one */
function TeamDialog({ team }: { readonly team: WireTeam | null }): JSX.Element {
  const { reloadTeams } = useSignedIn();
  const [name, setName] = useState(team?.name ?? "");
  const save = async (): Promise<void> => {
    await (team === null
      ? send("POST", "/auth/teams", { name })
      : sendChange(`/auth/teams/${team.teamId}`, "team", { name }));
    reloadTeams();
  };
  return (
    <FormDialog title={team === null ? "Create team" : "Rename team"} onSubmit={save}>
      <Field
        label="Name"
        hint={
          team === null ? "A new team is prepaid: it needs credit before its keys can be used." : undefined
        }
        required
        autofocus
        maxLength={100}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}

/** Asks what the keys of a team may do at most. */
function AllowDialog({ team }: { readonly team: WireTeam }): JSX.Element {
  const { teamId, name, aclStrings } = team;
  const { reloadTeams } = useSignedIn();
  const [access, setAccess] = useState(() => (aclStrings === undefined ? null : readAccess(aclStrings)));
  const save = () =>
    sendChange(`/auth/teams/${teamId}`, "team", {
      acls: access === null ? null : listAcls(access),
    }).then(reloadTeams);
  return (
    <FormDialog title={`What ${name} allows`} action="Save" onSubmit={save}>
      <p>Each key of the team may do at most this, whatever is chosen for the key.</p>
      <Checkbox checked={access === null} onChecked={(isAll) => setAccess(isAll ? null : everything)}>
        Everything
      </Checkbox>
      {access !== null && (
        <AccessChoices
          teamId={teamId}
          isOfServer
          access={access}
          onAccess={setAccess}
          groupsTitle="Access groups"
        />
      )}
    </FormDialog>
  );
}
