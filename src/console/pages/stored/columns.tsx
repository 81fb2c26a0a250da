import type { JSX } from "preact";
import type { WireStoredObject } from "../../../http/management/stored/stored.js";
import type { StoredKind } from "../../../jobs/stored/stored-object.js";
import { download } from "../../lib/client.js";
import { sizeText } from "../../../core/report/size-text.js";
import { countText } from "../../lib/format.js";
import { actionColumn, type Column } from "../../parts/table.js";
import { Ago } from "../../parts/text.js";
import { showError } from "../../parts/toast.js";
import { stateClass, storedStateText } from "./kinds.js";
import { toStoredPath } from "./stored-dialog.js";

type Cells = Column<WireStoredObject>;

/** Returns the columns of a kind. @param owner names the owner of something stored; null: there is no such column */
export function storedColumns(
  kind: StoredKind,
  open: (change: "cancel" | "delete", object: WireStoredObject) => void,
  owner: ((object: WireStoredObject) => string) | null,
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
  cell: ({ bytes }) => (bytes === undefined ? "–" : sizeText(bytes)),
};

const ownColumns: Readonly<Record<StoredKind, readonly Cells[]>> = {
  "deferred-completions": [state],
  responses: [state],
  "chat-completions": [],
  batches: [state, { title: "Requests", cell: (object) => <Progress object={object} /> }],
  files: [{ title: "Purpose", cell: ({ purpose }) => purpose?.replaceAll("_", " ") ?? "" }, size],
};

const times: readonly Cells[] = [
  { title: "Created", cell: ({ createTime }) => <Ago at={createTime} /> },
  {
    title: "Kept until",
    cell: ({ kind, expireTime, canCancel }) => {
      if (kind === "batches") return "30 days after its end";
      if (expireTime !== undefined) return <Ago at={expireTime} />;
      return canCancel ? "it is fetched" : "it is deleted";
    },
  },
];

function StoredState({ object }: { readonly object: WireStoredObject }): JSX.Element {
  const { state: value = "", background, error } = object;
  return (
    <>
      <span class={`state ${stateClass(value)}`}>{storedStateText(value)}</span>
      {background === true && <small class="below">in the background</small>}
      {error !== undefined && <small class="below problem">{error}</small>}
    </>
  );
}

/** How many requests of a batch are answered, as a bar and in numbers. */
function Progress({ object }: { readonly object: WireStoredObject }): JSX.Element {
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

function createActions(open: (change: "cancel" | "delete", object: WireStoredObject) => void): Cells {
  return actionColumn((object) => {
    const { kind, id, filename, outputFileId, errorFileId, canCancel, canDelete } = object;
    const of = filename ?? id;
    const isBatch = kind === "batches";
    const hasContent = isBatch ? outputFileId !== undefined : kind !== "deferred-completions";
    const fileName = isBatch ? `${id}_output.jsonl` : (filename ?? `${id}.json`);
    const save = (path: string, name: string) => () =>
      void download(`${path}/content`, name).catch(showError);
    return [
      hasContent && {
        text: isBatch ? "Output" : "Download",
        label: `Download ${isBatch ? "the output of " : ""}${of}`,
        onClick: save(toStoredPath(object), fileName),
      },
      errorFileId !== undefined && {
        text: "Errors",
        label: `Download the errors of ${of}`,
        onClick: save(`/admin/files/${encodeURIComponent(errorFileId)}`, `${id}_errors.jsonl`),
      },
      canCancel && { text: "Cancel", label: `Cancel ${of}`, onClick: () => open("cancel", object) },
      canDelete && { text: "Delete", label: `Delete ${of}`, onClick: () => open("delete", object) },
    ];
  });
}
