/** Dialogs. At most one is open, above the page; it closes when the member opens another page. */
import { Fragment, type ComponentChildren, type JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useLocation } from "../lib/location.js";
import { createStore, useStore } from "../lib/store.js";
import { Form } from "./form.js";
import { showToast } from "./toast.js";

const opened = createStore<{ readonly count: number; readonly dialog: JSX.Element | null }>({
  count: 0,
  dialog: null,
});

/** Opens a dialog in place of the one that is open. */
export function openDialog(dialog: JSX.Element): void {
  opened.set({ count: opened.get().count + 1, dialog });
}

export function closeDialog(): void {
  opened.set({ ...opened.get(), dialog: null });
}

/** The place of the dialog. */
export function DialogArea(): JSX.Element {
  const { page } = useLocation();
  useEffect(() => closeDialog, [page]);
  const { count, dialog } = useStore(opened);
  return <Fragment key={count}>{dialog}</Fragment>;
}

interface DialogProps {
  readonly title: string;
  /** Called when it is closed, also with Escape. */
  readonly onClose?: () => void;
  readonly size?: "wide";
  readonly children: ComponentChildren;
}

/** A modal dialog. It is open as long as it is rendered. */
export function Dialog({ title, onClose = closeDialog, size, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class={size} aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A dialog to read. */
export function Notice({ title, children }: NoticeProps): JSX.Element {
  return (
    <Dialog title={title}>
      <div class="body">{children}</div>
      <footer>
        <button type="button" class="primary" onClick={closeDialog}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** The text of the button; absent: the title. */
  readonly action?: string;
  readonly isDangerous?: boolean;
  readonly size?: "wide";
  /** Called when every field is valid. The dialog then closes, shows what this throws, or stays as it is if this returns false. */
  readonly onSubmit: () => Promise<unknown>;
  /** The message that is shown then. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A dialog with fields. */
export function FormDialog(props: FormDialogProps): JSX.Element {
  const { title, action = title, isDangerous = false, size, onSubmit, done, children } = props;
  const submit = async (): Promise<void> => {
    const { count } = opened.get();
    if ((await onSubmit()) === false) return;
    if (done !== undefined) showToast(done);
    // The action may have opened another one.
    if (opened.get().count === count) closeDialog();
  };
  return (
    <Dialog title={title} size={size}>
      <Form action={action} isDangerous={isDangerous} onSubmit={submit} onCancel={closeDialog}>
        {children}
      </Form>
    </Dialog>
  );
}

/** Asks before something that cannot be undone, or that people have to know. @param props it is dangerous unless they say otherwise */
export function Confirm({ isDangerous = true, children, ...props }: FormDialogProps): JSX.Element {
  return (
    <FormDialog {...props} isDangerous={isDangerous}>
      <div class="texts">{children}</div>
    </FormDialog>
  );
}
