import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { signOut, signOutEverywhere } from "../api/session.js";
import { useSignedIn } from "../session.js";
import { showError } from "../parts/toast.js";
import { PasswordDialog } from "./password-dialog.js";

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
