/** What the team has stored: deferred completions, responses, chat completions, batches and files. */
import type { JSX } from "preact";
import { operatorId } from "../../../accounts/audit/actors.js";
import type { WireStoredObject } from "../../../http/management/stored/stored.js";
import type { WireMember } from "../../../http/server/present-member.js";
import { pageHref, setQuery, useLocation } from "../../lib/location.js";
import { getPage, usePages, useResource } from "../../lib/resource.js";
import { openDialog } from "../../parts/dialog.js";
import { SearchField, Select } from "../../parts/field.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table } from "../../parts/table.js";
import { Copyable } from "../../parts/text.js";
import { useRole, useSignedIn, useTeam } from "../../session.js";
import { storedColumns } from "./columns.js";
import { findStoredKind, kinds, storedStateText, type KindEntry } from "./kinds.js";
import { StoredDialog } from "./stored-dialog.js";

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
