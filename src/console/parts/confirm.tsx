import type { ComponentChildren, JSX } from "preact";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";

interface ConfirmProps {
  readonly title: string;
  /** The text of the button, such as "Delete key". */
  readonly action: string;
  /** Whether it cannot be undone; it is unless this says otherwise. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be undone, or that people have to know. */
export function Confirm({
  title,
  action,
  isDangerous = true,
  onConfirm,
  onClose,
  children,
}: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        isDangerous={isDangerous}
        onSubmit={() => onConfirm().then(onClose)}
        onCancel={onClose}
      >
        <div class="texts">{children}</div>
      </Form>
    </Dialog>
  );
}
