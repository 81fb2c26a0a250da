import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { setSpendingLimit } from "../../api/billing.js";
import { centsField, typedCents } from "../../lib/money.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";

export type LimitKind = "hard" | "soft";

interface LimitDialogProps {
  readonly teamId: string;
  readonly kind: LimitKind;
  /** The limit now; null: none. */
  readonly cents: string | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const texts: Readonly<Record<LimitKind, string>> = {
  hard: "In each month (UTC), requests of a prepaid team that would spend more are rejected. An unmetered team is not refused.",
  soft: "Bounds what the team uses beyond its credit in each month (UTC); 0 means credit only.",
};

/** Asks for a monthly limit. */
export function LimitDialog({ teamId, kind, cents, onSaved, onClose }: LimitDialogProps): JSX.Element {
  const [text, setText] = useState(cents === null ? "" : centsField(cents));
  const save = async (): Promise<void> => {
    await setSpendingLimit(teamId, kind, text.trim() === "" ? null : typedCents("Limit in USD", text));
    showToast(`The ${kind} limit is saved.`);
    onSaved();
    onClose();
  };
  return (
    <Dialog title={kind === "hard" ? "Hard limit" : "Soft limit"} onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <p>{texts[kind]}</p>
        <Field
          label="Limit in USD"
          hint="No limit when it is empty."
          autofocus
          value={text}
          onValue={setText}
        />
      </Form>
    </Dialog>
  );
}
