import type { JSX } from "preact";
import { downloadErrors, downloadStored, type StoredKind, type StoredObject } from "../../api/stored.js";
import { bytesText, countText } from "../../lib/format.js";
import type { Column } from "../../parts/table.js";
import { Time } from "../../parts/time.js";
import { showError } from "../../parts/toast.js";
import { stateClass, stateText } from "./kinds.js";
import type { OpenStored } from "./stored-dialog.js";

type Cells = Column<StoredObject>;

/** Returns the columns of a kind. @param owner names the owner of something stored; null: there is no such column */
export function storedColumns(
  kind: StoredKind,
  open: (dialog: OpenStored) => void,
  owner: ((object: StoredObject) => string) | null,
): readonly Cells[] {
  const owners: readonly Cells[] = owner === null ? [] : [{ title: "For", cell: owner }];
  return [name, ...owners, ...ownColumns[kind], ...times, createActions(open)];
}

const name: Cells = {
  title: "Name",
  cell: ({ id, model, filename, endpoint }) => {
    const title = filename ?? model ?? endpoint;
    return (
      <>
        {title !== undefined && <strong class="model-name">{title}</strong>}
        <code class="below id">{id}</code>
      </>
    );
  },
};

const state: Cells = { title: "State", cell: (object) => <StoredState object={object} /> };

const size: Cells = {
  title: "Size",
  kind: "number",
  cell: ({ bytes }) => (bytes === undefined ? "–" : bytesText(bytes)),
};

const ownColumns: Readonly<Record<StoredKind, readonly Cells[]>> = {
  "deferred-completions": [state],
  responses: [state],
  "chat-completions": [],
  batches: [state, { title: "Requests", cell: (object) => <Progress object={object} /> }],
  files: [{ title: "Purpose", cell: ({ purpose }) => purpose?.replaceAll("_", " ") ?? "" }, size],
};

const times: readonly Cells[] = [
  { title: "Created", cell: ({ createTime }) => <Time at={createTime} /> },
  {
    title: "Kept until",
    cell: ({ kind, expireTime, canCancel }) => {
      if (kind === "batches") return "30 days after its end";
      if (expireTime !== undefined) return <Time at={expireTime} />;
      return canCancel ? "it is fetched" : "it is deleted";
    },
  },
];

function StoredState({ object }: { readonly object: StoredObject }): JSX.Element {
  const { state: value = "", background, error } = object;
  return (
    <>
      <span class={`state ${stateClass(value)}`}>{stateText(value)}</span>
      {background === true && <small class="below">in the background</small>}
      {error !== undefined && <small class="below problem">{error}</small>}
    </>
  );
}

/** How many requests of a batch are answered, as a bar and in numbers. */
function Progress({ object }: { readonly object: StoredObject }): JSX.Element {
  const { id, lines = { total: 0, succeeded: 0, errored: 0, dropped: 0 } } = object;
  const { total, succeeded, errored, dropped } = lines;
  if (total === 0) return <span class="hint">being validated</span>;
  const text = `${countText(succeeded + errored)} of ${countText(total)} answered`;
  const others = [
    errored > 0 ? `${countText(errored)} with an error` : null,
    dropped > 0 ? `${countText(dropped)} not answered` : null,
  ].filter((part) => part !== null);
  return (
    <div class="bars">
      <progress
        class={errored > 0 ? "warn" : ""}
        aria-label={`Progress of ${id}: ${text}`}
        max={total}
        value={succeeded + errored}
      />
      <p>{text}</p>
      {others.length > 0 && <small class="hint">{others.join(", ")}</small>}
    </div>
  );
}

function createActions(open: (dialog: OpenStored) => void): Cells {
  return {
    title: "Actions",
    kind: "actions",
    cell: (object) => {
      const { kind, id, filename, outputFileId, errorFileId, canCancel, canDelete } = object;
      const hasContent = kind === "batches" ? outputFileId !== undefined : kind !== "deferred-completions";
      const of = filename ?? id;
      return (
        <>
          {hasContent && (
            <button
              type="button"
              aria-label={`Download ${kind === "batches" ? "the output of " : ""}${of}`}
              onClick={() => void downloadStored(object).catch(showError)}
            >
              {kind === "batches" ? "Output" : "Download"}
            </button>
          )}
          {errorFileId !== undefined && (
            <button
              type="button"
              aria-label={`Download the errors of ${of}`}
              onClick={() => void downloadErrors(object).catch(showError)}
            >
              Errors
            </button>
          )}
          {canCancel && (
            <button
              type="button"
              aria-label={`Cancel ${of}`}
              onClick={() => open({ kind: "cancel", object })}
            >
              Cancel
            </button>
          )}
          {canDelete && (
            <button
              type="button"
              aria-label={`Delete ${of}`}
              onClick={() => open({ kind: "delete", object })}
            >
              Delete
            </button>
          )}
        </>
      );
    },
  };
}
