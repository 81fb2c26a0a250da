import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { addMember, updateMember, type Member, type MemberSettings } from "../../api/members.js";
import { Dialog } from "../../parts/dialog.js";
import { Choice, Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";
import { InviteDialog } from "./invite-dialog.js";

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
export function MemberDialog({ teamId, edited, onSaved, onClose }: MemberDialogProps): JSX.Element {
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
