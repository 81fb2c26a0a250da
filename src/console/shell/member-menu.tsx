import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireSession } from "../../http/console/present.js";
import { send } from "../lib/client.js";
import { FormDialog, openDialog } from "../parts/dialog.js";
import { Field, NewPasswordField } from "../parts/field.js";
import { showError } from "../parts/toast.js";
import { useSignedIn } from "../session.js";

/** Who is signed in, and what they can do about it. */
export function MemberMenu({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const { session, setSession } = useSignedIn();
  const end = (path: string) => () => void send("DELETE", path).then(() => setSession(null), showError);
  const { email, role } = session.member;
  return (
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
        <button type="button" onClick={() => openDialog(<PasswordDialog />)}>
          Change password
        </button>
        <button type="button" onClick={onHelp}>
          Keyboard shortcuts
        </button>
        <button type="button" onClick={end("/sessions")}>
          Sign out everywhere
        </button>
        <button type="button" onClick={end("/session")}>
          Sign out
        </button>
      </div>
    </details>
  );
}

/** Asks for the current password and a new one. */
function PasswordDialog(): JSX.Element {
  const { setSession } = useSignedIn();
  const [currentPassword, setCurrentPassword] = useState("");
  const [password, setNewPassword] = useState("");
  return (
    <FormDialog
      title="Change password"
      done="The password is changed. Your other sessions have ended."
      onSubmit={async () =>
        setSession(await send<WireSession>("PUT", "/password", { currentPassword, password }))
      }
    >
      <Field
        label="Current password"
        type="password"
        autocomplete="current-password"
        required
        value={currentPassword}
        onValue={setCurrentPassword}
      />
      <NewPasswordField value={password} onValue={setNewPassword} />
    </FormDialog>
  );
}
