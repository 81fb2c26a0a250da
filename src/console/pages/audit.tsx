/** The audit log: who changed what, and when. */
import type { JSX } from "preact";
import type { WireAuditEvent } from "../../http/management/audit-events.js";
import { setQuery, useLocation } from "../lib/location.js";
import { usePages } from "../lib/resource.js";
import { Field, SearchField } from "../parts/field.js";
import { Empty, PageHead } from "../parts/page.js";
import { Table, type Column } from "../parts/table.js";
import { Moment } from "../parts/text.js";
import { useTeam } from "../session.js";

/** The page. */
export function AuditLogPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  // Dates of the browser's fields, in local time; empty: no limit.
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const events = usePages<WireAuditEvent>(`/audit/teams/${teamId}/events`, "events", {
    "eventFilter.query": query.get("q") ?? "",
    eventTimeFrom: from === "" ? undefined : midnight(from, 0),
    eventTimeTo: to === "" ? undefined : midnight(to, 1),
  });
  return (
    <>
      <PageHead title="Audit">
        <SearchField label="Search events" />
      </PageHead>
      <div class="filters">
        <Field label="From" type="date" value={from} onValue={(value) => setQuery({ from: value })} />
        <Field label="To" type="date" value={to} onValue={(value) => setQuery({ to: value })} />
      </div>
      <Table
        label="Events"
        columns={columns}
        rows={events}
        getKey={({ eventId }) => eventId}
        empty={
          <Empty title="No events">
            <p>Changes of keys, members, credit, budgets and models appear here, and sign-ins.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<WireAuditEvent>[] = [
  { title: "Time", cell: ({ eventTime }) => <Moment at={eventTime} /> },
  { title: "Who", cell: ({ user, actor }) => user.email ?? actorText(actor) },
  {
    title: "What",
    cell: (event) => (
      <>
        {event.description}
        <Changes event={event} />
      </>
    ),
  },
];

const actorTexts: Readonly<Record<string, string>> = {
  cli: "the command line",
  server: "the server",
  oidc: "the identity provider",
  visitor: "somebody who is not signed in",
};

function actorText(actor: string): JSX.Element | string {
  const text = actorTexts[actor];
  if (text !== undefined) return text;
  return (
    <>
      a management key
      <code class="below id">{actor}</code>
    </>
  );
}

/** Returns the start of a local day, or of a day after it. A day has 23 hours or 25 where the clocks change. */
function midnight(date: string, daysLater: number): string {
  const day = new Date(`${date}T00:00`);
  day.setDate(day.getDate() + daysLater);
  return day.toISOString();
}

/** The fields that an event has changed, folded away. */
function Changes({
  event: { before = {}, after = {} },
}: {
  readonly event: WireAuditEvent;
}): JSX.Element | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => text(before[name]) !== text(after[name]),
  );
  if (names.length === 0) return null;
  return (
    <details class="changes">
      <summary>{names.length === 1 ? "1 field" : `${names.length} fields`}</summary>
      <dl>
        {names.map((name) => [
          <dt key={name}>
            <code>{name}</code>
          </dt>,
          <dd key={`${name} values`}>
            {name in before && <del>{text(before[name])}</del>}{" "}
            {name in after && <ins>{text(after[name])}</ins>}
          </dd>,
        ])}
      </dl>
    </details>
  );
}

function text(value: unknown): string {
  if (value == null) return "none";
  return typeof value === "string" ? value || "empty" : JSON.stringify(value);
}
