import type { JSX } from "preact";
import { Field } from "./field.js";

interface NewPasswordProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** The field of a new password. */
export function NewPasswordField(props: NewPasswordProps): JSX.Element {
  return (
    <Field
      label="New password"
      hint="At least 10 characters."
      type="password"
      autocomplete="new-password"
      minLength={10}
      maxLength={256}
      required
      {...props}
    />
  );
}
