/** Members of the team, what its log of requests keeps, and the teams of the server. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  listMembers,
  removeMember,
  type Member,
  addMember,
  updateMember,
  type MemberSettings,
} from "../../api/members.js";
import { usePages } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Choice, Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { useIsOperator, useRole, useSignedIn, useTeam } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table, type Column } from "../../parts/table.js";
import { Time } from "../../parts/time.js";
import { showToast } from "../../parts/toast.js";
import { InviteDialog } from "./invite-dialog.js";
import { KeepBodies } from "./keep-bodies.js";
import { Teams } from "./teams.js";

type Open =
  { readonly kind: "add" } | { readonly kind: "edit" | "invite" | "remove"; readonly member: Member };

/** The page. */
export function MembersPage(): JSX.Element {
  const { teamId, name } = useTeam();
  const mayChange = useRole("owner");
  const isOperator = useIsOperator();
  const { session } = useSignedIn();
  const members = usePages((token, signal) => listMembers(teamId, token, signal), [teamId]);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const shown = mayChange ? [...columns, actions(setOpen, session.member.memberId)] : columns;
  return (
    <>
      <PageHead title="Members">
        {mayChange && (
          <button type="button" class="primary" onClick={() => setOpen({ kind: "add" })}>
            Add member
          </button>
        )}
      </PageHead>
      <Table
        label={`Members of ${name}`}
        columns={shown}
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
      {open?.kind === "add" && <MemberDialog teamId={teamId} onSaved={members.reload} onClose={close} />}
      {open?.kind === "edit" && (
        <MemberDialog teamId={teamId} edited={open.member} onSaved={members.reload} onClose={close} />
      )}
      {open?.kind === "invite" && <InviteDialog member={open.member} onClose={close} />}
      {open?.kind === "remove" && (
        <RemoveDialog member={open.member} onRemoved={members.reload} onClose={close} />
      )}
    </>
  );
}

const columns: readonly Column<Member>[] = [
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
  { title: "Added", cell: ({ createTime }) => <Time at={createTime} /> },
];

function actions(open: (dialog: Open) => void, ownId: string): Column<Member> {
  return {
    title: "Actions",
    kind: "actions",
    cell: (member) => (
      <>
        <button type="button" onClick={() => open({ kind: "invite", member })}>
          Invite
        </button>
        <button type="button" onClick={() => open({ kind: "edit", member })}>
          Edit
        </button>
        <button
          type="button"
          disabled={member.memberId === ownId}
          onClick={() => open({ kind: "remove", member })}
        >
          Remove
        </button>
      </>
    ),
  };
}

interface RemoveDialogProps {
  readonly member: Member;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

function RemoveDialog({ member, onRemoved, onClose }: RemoveDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await removeMember(member.memberId);
    showToast(`${member.email} is removed.`);
    onRemoved();
  };
  return (
    <Confirm title="Remove member" action="Remove member" onConfirm={remove} onClose={onClose}>
      <p>
        The sessions and management keys of <strong>{member.email}</strong> end now. Their API keys stay, and
        can be deleted on the page of API keys.
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
  readonly teamId: string;
  /** The member to change; without it, one is added. */
  readonly edited?: Member;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks for e-mail, names and role, and shows the sign-in link of a new member. */
function MemberDialog({ teamId, edited, onSaved, onClose }: MemberDialogProps): JSX.Element {
  const [fields, setFields] = useState<MemberSettings>({
    email: edited?.email ?? "",
    givenName: edited?.givenName ?? "",
    familyName: edited?.familyName ?? "",
    role: edited?.role ?? "member",
  });
  const [added, setAdded] = useState<Member | null>(null);
  const set = (change: Partial<MemberSettings>): void => setFields({ ...fields, ...change });
  const save = async (): Promise<void> => {
    if (edited === undefined) setAdded(await addMember(teamId, fields));
    else {
      await updateMember(edited.memberId, fields);
      showToast(`${fields.email} is saved.`);
      onClose();
    }
    onSaved();
  };
  if (added !== null) return <InviteDialog member={added} onClose={onClose} />;
  const action = edited === undefined ? "Add member" : "Save";
  return (
    <Dialog title={edited === undefined ? "Add member" : `Edit ${edited.email}`} onClose={onClose}>
      <Form action={action} onSubmit={save} onCancel={onClose}>
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
        <Choice label="Role" value={fields.role} onValue={(role) => set({ role })} options={roles} />
      </Form>
    </Dialog>
  );
}
