import type { JSX } from "preact";
import { cancelStored, deleteStored, type StoredKind, type StoredObject } from "../../api/stored.js";
import { Confirm } from "../../parts/confirm.js";
import { showToast } from "../../parts/toast.js";

export interface OpenStored {
  readonly kind: "cancel" | "delete";
  readonly object: StoredObject;
}

interface StoredDialogProps {
  readonly open: OpenStored;
  /** What the object is, in words. */
  readonly noun: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const cancelEffects: Readonly<Partial<Record<StoredKind, string>>> = {
  "deferred-completions": "Its client gets an error when it asks for the answer.",
  responses: "What was generated until then is kept and charged.",
  batches:
    "Requests that are being answered end; the others are not answered. The answers until then are kept.",
};

const deleteEffects: Readonly<Record<StoredKind, string>> = {
  "deferred-completions": "Its client cannot fetch the answer any more.",
  responses: "It can neither be read nor continued any more.",
  "chat-completions": "It cannot be read any more.",
  batches: "Its output is deleted, too.",
  files: "Requests that name it fail from now on.",
};

/** Asks before something is cancelled or deleted. */
export function StoredDialog({ open, noun, onChanged, onClose }: StoredDialogProps): JSX.Element {
  const { kind: change, object } = open;
  const isCancel = change === "cancel";
  const confirm = async (): Promise<void> => {
    try {
      await (isCancel ? cancelStored(object) : deleteStored(object));
      showToast(`The ${noun} is ${isCancel ? "cancelled" : "deleted"}.`);
    } finally {
      onChanged();
    }
  };
  const title = `${isCancel ? "Cancel" : "Delete"} ${noun}`;
  return (
    <Confirm title={title} action={title} onConfirm={confirm} onClose={onClose}>
      <p>
        <strong class="stored-name">{object.filename ?? object.id}</strong>
      </p>
      <p>{isCancel ? cancelEffects[object.kind] : `${deleteEffects[object.kind]} This cannot be undone.`}</p>
    </Confirm>
  );
}
