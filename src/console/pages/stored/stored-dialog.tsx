import type { JSX } from "preact";
import type { WireStoredObject } from "../../../http/management/stored/stored.js";
import type { StoredKind } from "../../../jobs/stored/stored-object.js";
import { send } from "../../lib/client.js";
import { Confirm } from "../../parts/dialog.js";

interface StoredDialogProps {
  readonly change: "cancel" | "delete";
  readonly object: WireStoredObject;
  /** What the object is, in words. */
  readonly noun: string;
  readonly onChanged: () => void;
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
export function StoredDialog({ change, object, noun, onChanged }: StoredDialogProps): JSX.Element {
  const isCancel = change === "cancel";
  const path = toStoredPath(object);
  const act = () => (isCancel ? send("POST", `${path}/cancel`) : send("DELETE", path)).finally(onChanged);
  return (
    <Confirm
      title={`${isCancel ? "Cancel" : "Delete"} ${noun}`}
      done={`The ${noun} is ${isCancel ? "cancelled" : "deleted"}.`}
      onSubmit={act}
    >
      <p>
        <strong class="stored-name">{object.filename ?? object.id}</strong>
      </p>
      <p>{isCancel ? cancelEffects[object.kind] : `${deleteEffects[object.kind]} This cannot be undone.`}</p>
    </Confirm>
  );
}

export function toStoredPath({ kind, id }: WireStoredObject): string {
  return `/admin/${kind}/${encodeURIComponent(id)}`;
}
