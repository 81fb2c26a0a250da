import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { addCredit } from "../../api/billing.js";
import { centsText, typedCents } from "../../lib/money.js";
import { useTeam } from "../../session.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";

interface CreditDialogProps {
  readonly teamId: string;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** Asks how much credit to add. */
export function CreditDialog({ teamId, onAdded, onClose }: CreditDialogProps): JSX.Element {
  const { name } = useTeam();
  const [text, setText] = useState("");
  const add = async (): Promise<void> => {
    const cents = typedCents("Amount in USD", text);
    await addCredit(teamId, cents);
    showToast(`${centsText(cents)} of credit were added to ${name}.`);
    onAdded();
    onClose();
  };
  return (
    <Dialog title={`Add credit to ${name}`} onClose={onClose}>
      <Form action="Add credit" onSubmit={add} onCancel={onClose}>
        <Field
          label="Amount in USD"
          hint="Dollars and cents, such as 25 or 12.50. The ledger keeps it: a wrong amount is corrected on the command line."
          required
          autofocus
          value={text}
          onValue={setText}
        />
      </Form>
    </Dialog>
  );
}
