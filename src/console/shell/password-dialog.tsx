import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { setPassword } from "../api/session.js";
import { useSignedIn } from "../session.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { showToast } from "../parts/toast.js";

/** Asks for the current password and a new one. */
export function PasswordDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
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
