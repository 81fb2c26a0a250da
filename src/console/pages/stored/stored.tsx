/** What the team has stored: deferred completions, responses, chat completions, batches and files. */
import type { JSX } from "preact";
import { operatorId } from "../../../accounts/audit/actors.js";
import type { WireStoredObject } from "../../../http/management/stored/stored.js";
import type { WireMember } from "../../../http/server/present-member.js";
import { pageHref, setQuery, useLocation } from "../../lib/location.js";
import { getPage, usePages, useResource } from "../../lib/resource.js";
import { openDialog, Confirm } from "../../parts/dialog.js";
import { SearchField, Select } from "../../parts/field.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table, actionColumn, type Column } from "../../parts/table.js";
import { Copyable, Ago } from "../../parts/text.js";
import { useRole, useSignedIn, useTeam } from "../../session.js";
import { findStoredKind, kinds, storedStateText, type KindEntry, stateClass } from "./kinds.js";
import type { StoredKind } from "../../../jobs/stored/stored-object.js";
import { download, send } from "../../lib/client.js";
import { sizeText } from "../../../core/report/size-text.js";
import { countText } from "../../lib/format.js";
import { showError } from "../../parts/toast.js";

/** Jobs and batches go on. */
const refreshMs = 5000;

/** Most members whose names are looked up. */
const namedMax = 1000;

/** The page. */
export function StoredObjectsPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const entry = findStoredKind(query.get("kind"));
  const { kind, one: noun } = entry;
  const filter = {
    query: query.get("q") ?? "",
    state: query.get("state") ?? "",
    background: query.get("background") ?? "",
  };
  const path = `/admin/teams/${teamId}/${kind}`;
  const objects = usePages<WireStoredObject>(path, "objects", filter, refreshMs);
  const open = (change: "cancel" | "delete", object: WireStoredObject): void =>
    openDialog(<StoredDialog change={change} object={object} noun={noun} onChanged={objects.reload} />);
  return (
    <>
      <PageHead title="Stored">
        <SearchField key={kind} label={`Search ${entry.title.toLowerCase()}`} />
      </PageHead>
      <Kinds current={entry} />
      {entry.states.length > 0 && <Filters entry={entry} filter={filter} />}
      <Table
        key={kind}
        label={entry.title}
        columns={storedColumns(kind, open, useOwner(teamId))}
        rows={objects}
        getKey={({ id }) => id}
        empty={<NoneStored entry={entry} isFiltered={Object.values(filter).some((each) => each !== "")} />}
      />
    </>
  );
}

/** Links to the kinds. */
function Kinds({ current }: { readonly current: KindEntry }): JSX.Element {
  return (
    <nav class="kinds" aria-label="Kinds">
      {kinds.map(({ kind, title }) => (
        <a
          key={kind}
          href={pageHref("stored", { kind })}
          aria-current={kind === current.kind ? "page" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

interface FiltersProps {
  readonly entry: KindEntry;
  readonly filter: { readonly state: string; readonly background: string };
}

function Filters({ entry, filter }: FiltersProps): JSX.Element {
  const states = entry.states.map((state) => [state, storedStateText(state)] as const);
  return (
    <div class="filters">
      <Select
        label="State"
        value={filter.state}
        options={[["", "In any state"], ...states]}
        onValue={(state) => setQuery({ state })}
      />
      {entry.kind === "responses" && (
        <Select
          label="Processed"
          value={filter.background}
          options={[
            ["", "In any way"],
            ["true", "In the background"],
            ["false", "While their client waited"],
          ]}
          onValue={(background) => setQuery({ background })}
        />
      )}
    </div>
  );
}

interface NoneStoredProps {
  readonly entry: KindEntry;
  readonly isFiltered: boolean;
}

function NoneStored({ entry, isFiltered }: NoneStoredProps): JSX.Element {
  if (isFiltered)
    return (
      <Empty title={`No ${entry.one} matches`}>
        <a class="button" href={pageHref("stored", { kind: entry.kind })}>
          Show all
        </a>
      </Empty>
    );
  return (
    <Empty
      title={`No ${entry.title === "Deferred" ? "deferred completions" : entry.title.toLowerCase()} yet`}
    >
      <p>{entry.hint}</p>
      {entry.command !== null && <Copyable text={entry.command} label="Command" />}
    </Empty>
  );
}

/**
 * The owner of something stored is the creator of the API key of its request. Returns what names the owner of something stored; null for
 * a member who sees only what is their own.
 */
function useOwner(teamId: string): ((object: WireStoredObject) => string) | null {
  const seesOthers = useRole("admin");
  const { member } = useSignedIn().session;
  const members = useResource(
    (signal) =>
      seesOthers
        ? getPage<WireMember>(
            `/auth/teams/${teamId}/members`,
            "members",
            { pageSize: namedMax },
            undefined,
            signal,
          )
        : Promise.resolve(null),
    [teamId, seesOthers],
  );
  if (!seesOthers) return null;
  return ({ userId }) => {
    // What was stored before owners were recorded has none.
    if (userId === undefined) return "the team";
    if (userId === member.memberId) return "you";
    if (userId === operatorId) return "the operator";
    if (members.value === null) return "…";
    return members.value.items.find(({ memberId }) => memberId === userId)?.email ?? "somebody else";
  };
}

type Cells = Column<WireStoredObject>;

/** Returns the columns of a kind. @param owner names the owner of something stored; null: there is no such column */
function storedColumns(
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
function StoredDialog({ change, object, noun, onChanged }: StoredDialogProps): JSX.Element {
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

function toStoredPath({ kind, id }: WireStoredObject): string {
  return `/admin/${kind}/${encodeURIComponent(id)}`;
}
