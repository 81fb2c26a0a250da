/** Members of the team, what its log of requests keeps, and the teams of the server. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireMember } from "../../../http/server/present-member.js";
import { send, sendChange } from "../../lib/client.js";
import { usePages } from "../../lib/resource.js";
import { Confirm, FormDialog, openDialog } from "../../parts/dialog.js";
import { Field, Select } from "../../parts/field.js";
import { Empty, PageHead } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { Ago } from "../../parts/text.js";
import { showToast } from "../../parts/toast.js";
import { useIsOperator, useRole, useSignedIn, useTeam } from "../../session.js";
import { InviteDialog } from "./invite-dialog.js";
import { KeepBodies } from "./keep-bodies.js";
import { Teams } from "./teams.js";

/** The page. */
export function MembersPage(): JSX.Element {
  const { teamId, name } = useTeam();
  const mayChange = useRole("owner");
  const isOperator = useIsOperator();
  const { session } = useSignedIn();
  const members = usePages<WireMember>(`/auth/teams/${teamId}/members`, "members");
  const onSaved = members.reload;
  const actions = actionColumn<WireMember>((member) => [
    { text: "Invite", onClick: () => openDialog(<InviteDialog member={member} />) },
    { text: "Edit", onClick: () => openDialog(<MemberDialog edited={member} onSaved={onSaved} />) },
    {
      text: "Remove",
      isDisabled: member.memberId === session.member.memberId,
      onClick: () => openDialog(<RemoveDialog member={member} onRemoved={onSaved} />),
    },
  ]);
  return (
    <>
      <PageHead title="Members">
        {mayChange && (
          <button
            type="button"
            class="primary"
            onClick={() => openDialog(<MemberDialog onSaved={onSaved} />)}
          >
            Add member
          </button>
        )}
      </PageHead>
      <Table
        label={`Members of ${name}`}
        columns={mayChange ? [...columns, actions] : columns}
        rows={members}
        getKey={({ memberId }) => memberId}
        empty={
          <Empty title={`The team ${name} has no members yet`}>
            <p>A member signs in here, makes API keys of their own and sees what they cost.</p>
          </Empty>
        }
      />
      {mayChange && <KeepBodies />}
      {isOperator && <Teams />}
    </>
  );
}

const columns: readonly Column<WireMember>[] = [
  {
    title: "Member",
    cell: ({ email, givenName, familyName }) => (
      <>
        <strong>{email}</strong>
        <br />
        {`${givenName} ${familyName}`.trim()}
      </>
    ),
  },
  { title: "Role", cell: ({ role }) => role },
  { title: "Added", cell: ({ createTime }) => <Ago at={createTime} /> },
];

interface RemoveDialogProps {
  readonly member: WireMember;
  readonly onRemoved: () => void;
}

function RemoveDialog({ member: { memberId, email }, onRemoved }: RemoveDialogProps): JSX.Element {
  return (
    <Confirm
      title="Remove member"
      done={`${email} is removed.`}
      onSubmit={() => send("DELETE", `/auth/members/${memberId}`).then(onRemoved)}
    >
      <p>
        The sessions and management keys of <strong>{email}</strong> end now. Their API keys stay, and can be
        deleted on the page of API keys.
      </p>
    </Confirm>
  );
}

const roles = [
  ["member", "member: own API keys"],
  ["admin", "admin: all API keys"],
  ["owner", "owner: everything"],
] as const;

interface MemberDialogProps {
  /** The member to change; without it, one is added. */
  readonly edited?: WireMember;
  readonly onSaved: () => void;
}

/** Asks for e-mail, names and role, and shows the sign-in link of a new member. */
function MemberDialog({ edited, onSaved }: MemberDialogProps): JSX.Element {
  const { teamId } = useTeam();
  const { email = "", givenName = "", familyName = "", role = "member" } = edited ?? {};
  const [fields, setFields] = useState({ email, givenName, familyName, role });
  const set = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const save = async (): Promise<void> => {
    if (edited === undefined) {
      const member = await send<WireMember>("POST", `/auth/teams/${teamId}/members`, fields);
      openDialog(<InviteDialog member={member} />);
    } else {
      await sendChange(`/auth/members/${edited.memberId}`, "member", fields);
      showToast(`${fields.email} is saved.`);
    }
    onSaved();
  };
  return (
    <FormDialog
      title={edited === undefined ? "Add member" : `Edit ${edited.email}`}
      action={edited === undefined ? "Add member" : "Save"}
      onSubmit={save}
    >
      <Field
        label="E-mail"
        type="email"
        required
        autofocus
        autocomplete="off"
        value={fields.email}
        onValue={(email) => set({ email })}
      />
      <Field label="Given name" value={fields.givenName} onValue={(givenName) => set({ givenName })} />
      <Field label="Family name" value={fields.familyName} onValue={(familyName) => set({ familyName })} />
      <Select label="Role" value={fields.role} onValue={(role) => set({ role })} options={roles} />
    </FormDialog>
  );
}
