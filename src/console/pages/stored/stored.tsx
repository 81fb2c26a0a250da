/** What the team has stored: deferred completions, responses, chat completions, batches and files. */
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { listEmails, operatorId } from "../../api/members.js";
import { listStored, type StoredFilter, type StoredObject } from "../../api/stored.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { usePages, useResource } from "../../lib/resource.js";
import { useTeam, useRole, useSignedIn } from "../../session.js";
import { Copyable } from "../../parts/copyable.js";
import { Empty } from "../../parts/empty.js";
import { Choice } from "../../parts/field.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table } from "../../parts/table.js";
import { StoredDialog, type OpenStored } from "./stored-dialog.js";
import { storedColumns } from "./columns.js";
import { findStoredKind, kinds, stateText, type KindEntry } from "./kinds.js";

/** Jobs and batches go on. */
const refreshMs = 5000;

/** The page. */
export function StoredPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const entry = findStoredKind(query.get("kind"));
  const { kind } = entry;
  const filter = readFilter(query);
  const { text, state, background } = filter;
  const objects = usePages(
    (token, signal) => listStored(teamId, kind, filter, token, signal),
    [teamId, kind, text, state, background],
    refreshMs,
  );
  const owner = useOwner(teamId);
  const [open, setOpen] = useState<OpenStored | null>(null);
  const change = useCallback(
    (fields: Readonly<Record<string, string>>) =>
      navigate(pageHref("stored", { kind, q: text, state, background, ...fields }), { replace: true }),
    [kind, text, state, background],
  );
  const search = useCallback((q: string) => change({ q }), [change]);
  return (
    <>
      <PageHead title="Stored">
        <SearchField
          key={kind}
          label={`Search ${entry.title.toLowerCase()}`}
          value={text}
          onSearch={search}
        />
      </PageHead>
      <Kinds current={entry} />
      {entry.states.length > 0 && <Filters entry={entry} filter={filter} onChange={change} />}
      <Table
        key={kind}
        label={entry.title}
        columns={storedColumns(kind, setOpen, owner)}
        rows={objects}
        getKey={({ id }) => id}
        empty={<NoneStored entry={entry} filter={filter} />}
      />
      {open !== null && (
        <StoredDialog open={open} noun={entry.one} onChanged={objects.reload} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

function readFilter(query: URLSearchParams): StoredFilter {
  const background = query.get("background");
  return {
    text: query.get("q") ?? "",
    state: query.get("state") ?? "",
    background: background === "true" || background === "false" ? background : "",
  };
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
  readonly filter: StoredFilter;
  readonly onChange: (fields: Readonly<Record<string, string>>) => void;
}

function Filters({ entry, filter, onChange }: FiltersProps): JSX.Element {
  const states = entry.states.map((state) => [state, stateText(state)] as const);
  return (
    <div class="filters">
      <Choice
        label="State"
        value={filter.state}
        options={[["", "In any state"], ...states]}
        onValue={(state) => onChange({ state })}
      />
      {entry.kind === "responses" && (
        <Choice
          label="Processed"
          value={filter.background}
          options={[
            ["", "In any way"],
            ["true", "In the background"],
            ["false", "While their client waited"],
          ]}
          onValue={(background) => onChange({ background })}
        />
      )}
    </div>
  );
}

function NoneStored({
  entry,
  filter,
}: {
  readonly entry: KindEntry;
  readonly filter: StoredFilter;
}): JSX.Element {
  if (Object.values(filter).some((each) => each !== ""))
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
function useOwner(teamId: string): ((object: StoredObject) => string) | null {
  const seesOthers = useRole("admin");
  const { member } = useSignedIn().session;
  const emails = useResource(
    (signal) => (seesOthers ? listEmails(teamId, signal) : Promise.resolve(null)),
    [teamId, seesOthers],
  );
  if (!seesOthers) return null;
  return ({ userId }) => {
    // What was stored before owners were recorded has none.
    if (userId === undefined) return "the team";
    if (userId === member.memberId) return "you";
    if (userId === operatorId) return "the operator";
    return emails.value === null ? "…" : (emails.value.get(userId) ?? "somebody else");
  };
}
