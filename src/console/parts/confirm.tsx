import type { ComponentChildren, JSX } from "preact";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";

interface ConfirmProps {
  readonly title: string;
  /** The text of the button, such as "Delete key". */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} isDangerous onSubmit={() => onConfirm().then(onClose)} onCancel={onClose}>
        <div>{children}</div>
      </Form>
    </Dialog>
  );
}
