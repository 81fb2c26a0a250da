import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { toError } from "../lib/resource.js";
import { ErrorBox } from "./page.js";

interface FormProps {
  /** The text of the button that submits it. */
  readonly action: string;
  /** Whether the action cannot be undone. */
  readonly isDangerous?: boolean;
  /** Called when every field is valid. What it throws is shown in the form. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/** Fields with a button. The button is disabled while the action runs, so that it runs once. */
export function Form({ action, isDangerous = false, onSubmit, onCancel, children }: FormProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    onSubmit()
      .catch((thrown: unknown) => setError(toError(thrown)))
      .finally(() => setBusy(false));
  };
  return (
    <form onSubmit={submit}>
      {children}
      {error !== null && <ErrorBox error={error} />}
      <footer>
        {onCancel !== undefined && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class={isDangerous ? "danger" : "primary"} aria-busy={isBusy}>
          {action}
        </button>
      </footer>
    </form>
  );
}
