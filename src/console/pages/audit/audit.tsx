/** The audit log: who changed what, and when. */
import type { JSX } from "preact";
import { useCallback } from "preact/hooks";
import { listEvents, type AuditEvent } from "../../api/audit.js";
import { momentText } from "../../lib/format.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { usePages } from "../../lib/resource.js";
import { useTeam } from "../../session.js";
import { Empty } from "../../parts/empty.js";
import { Field } from "../../parts/field.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table, type Column } from "../../parts/table.js";
import { Changes } from "./changes.js";

/** The page. */
export function AuditPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const [text, from, to] = [query.get("q") ?? "", query.get("from") ?? "", query.get("to") ?? ""];
  const events = usePages(
    (token, signal) => listEvents(teamId, { text, from, to }, token, signal),
    [teamId, text, from, to],
  );
  const filter = useCallback(
    (change: Readonly<Record<string, string>>) =>
      navigate(pageHref("audit", { q: text, from, to, ...change }), { replace: true }),
    [text, from, to],
  );
  const search = useCallback((q: string) => filter({ q }), [filter]);
  return (
    <>
      <PageHead title="Audit">
        <SearchField label="Search events" value={text} onSearch={search} />
      </PageHead>
      <div class="filters">
        <Field label="From" type="date" value={from} onValue={(value) => filter({ from: value })} />
        <Field label="To" type="date" value={to} onValue={(value) => filter({ to: value })} />
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

const columns: readonly Column<AuditEvent>[] = [
  { title: "Time", cell: ({ eventTime }) => <time dateTime={eventTime}>{momentText(eventTime)}</time> },
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
