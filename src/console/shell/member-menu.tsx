import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { signOut, signOutEverywhere, setPassword } from "../api/session.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { useSignedIn } from "../session.js";
import { showError, showToast } from "../parts/toast.js";

interface MemberMenuProps {
  readonly onHelp: () => void;
}

/** Who is signed in, and what they can do about it. */
export function MemberMenu({ onHelp }: MemberMenuProps): JSX.Element {
  const { session, setSession } = useSignedIn();
  const [isPasswordOpen, setPasswordOpen] = useState(false);
  const end = (by: () => Promise<unknown>) => () => void by().then(() => setSession(null), showError);
  const { email, role } = session.member;
  return (
    <>
      <details class="member-menu">
        <summary aria-label={`Signed in as ${email}`}>
          <span aria-hidden="true">{email.slice(0, 1).toUpperCase()}</span>
        </summary>
        <div>
          <p>
            <strong>{email}</strong>
            <br />
            {role} of {session.teamName ?? "the whole server"}
          </p>
          <button type="button" onClick={() => setPasswordOpen(true)}>
            Change password
          </button>
          <button type="button" onClick={onHelp}>
            Keyboard shortcuts
          </button>
          <button type="button" onClick={end(signOutEverywhere)}>
            Sign out everywhere
          </button>
          <button type="button" onClick={end(signOut)}>
            Sign out
          </button>
        </div>
      </details>
      {isPasswordOpen && <PasswordDialog onClose={() => setPasswordOpen(false)} />}
    </>
  );
}

/** Asks for the current password and a new one. */
function PasswordDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { setSession } = useSignedIn();
  const [currentPassword, setCurrentPassword] = useState("");
  const [password, setNewPassword] = useState("");
  const save = async (): Promise<void> => {
    setSession(await setPassword({ currentPassword, password }));
    showToast("The password is changed. Your other sessions have ended.");
    onClose();
  };
  return (
    <Dialog title="Change password" onClose={onClose}>
      <Form action="Change password" onSubmit={save} onCancel={onClose}>
        <Field
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={currentPassword}
          onValue={setCurrentPassword}
        />
        <Field
          label="New password"
          hint="At least 10 characters."
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={256}
          required
          value={password}
          onValue={setNewPassword}
        />
      </Form>
    </Dialog>
  );
}
