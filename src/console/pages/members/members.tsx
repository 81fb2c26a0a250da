/** Members of the team, what its log of requests keeps, and the teams of the server. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireMember } from "../../../http/server/present-member.js";
import { send, sendChange } from "../../lib/client.js";
import { usePages, useResource } from "../../lib/resource.js";
import { Confirm, FormDialog, openDialog, Notice } from "../../parts/dialog.js";
import { Field, Select, Switch } from "../../parts/field.js";
import { Empty, PageHead, ErrorBox, Loading, Section } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { Ago, Copyable } from "../../parts/text.js";
import { showToast } from "../../parts/toast.js";
import { useIsOperator, useRole, useSignedIn, useTeam } from "../../session.js";
import { Teams } from "./teams.js";
import { serverAddress } from "../../lib/base-path.js";
import type { WireSignInLink } from "../../../http/management/members/sign-in-links.js";
import type { WireTeam } from "../../../http/management/teams/present-team.js";

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

/** Makes a sign-in link for a member and shows it, the only time that it can be seen. */
function InviteDialog({ member }: { readonly member: WireMember }): JSX.Element {
  const { memberId, email } = member;
  const link = useResource(
    () => send<WireSignInLink>("POST", `/auth/members/${memberId}/sign-in-links`),
    [memberId],
  );
  return (
    <Notice title={`Invite ${email}`}>
      {link.error !== null && <ErrorBox error={link.error} />}
      {link.isLoading && <Loading />}
      {link.value !== null && (
        <>
          <p>
            Send this link to <strong>{email}</strong>. It works once, within 24 hours, and a newer one
            replaces it.
          </p>
          <Copyable text={`${serverAddress}/console#link=${link.value.link}`} label="Sign-in link" />
        </>
      )}
    </Notice>
  );
}

/** Whether the log of requests keeps what requests of the team and their answers have: a switch for its owners. */
function KeepBodies(): JSX.Element {
  const team = useTeam();
  return (
    <Section
      id="keep-bodies"
      title="Texts of requests"
      isPanel
      aside={
        <Switch
          label={`Keep texts of requests of ${team.name}`}
          isOn={team.keepBodies}
          onToggle={() => openDialog(<KeepDialog team={team} />)}
        />
      }
    >
      <p>
        {team.keepBodies
          ? `What requests of ${team.name} and their answers have is kept for some days, and shown with the details of each request. Who may see a request may read it.`
          : `What requests of ${team.name} and their answers have is not kept: only times, tokens and cost are.`}
      </p>
    </Section>
  );
}

/** Asks before it is turned on, which people have to know, and off, which deletes. */
function KeepDialog({ team: { teamId, name, keepBodies } }: { readonly team: WireTeam }): JSX.Element {
  const { reloadTeams } = useSignedIn();
  const change = () =>
    sendChange(`/auth/teams/${teamId}`, "team", { keepBodies: !keepBodies }).then(reloadTeams);
  if (keepBodies)
    return (
      <Confirm
        title="Stop keeping texts"
        action="Stop and delete"
        done="Texts are not kept any more."
        onSubmit={change}
      >
        <p>
          All texts that were kept of the team <strong>{name}</strong> are deleted at once. This cannot be
          undone.
        </p>
      </Confirm>
    );
  return (
    <Confirm
      title="Keep texts of requests"
      action="Keep texts"
      isDangerous={false}
      done="Texts are kept from the next request on."
      onSubmit={change}
    >
      <p>
        From the next request on, what models read and write for the team <strong>{name}</strong> is kept for
        some days. Tell the people whose requests it is about.
      </p>
      <p class="hint">
        Requests with <code>store: false</code> are never kept. E-mail addresses and known forms of secrets
        are removed first, as the setting <code>requestBodiesRedact</code> says.
      </p>
    </Confirm>
  );
}
