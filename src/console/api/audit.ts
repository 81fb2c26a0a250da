/** The audit log of a team. */
import type { z } from "zod";
import type { auditEventSchema } from "../../http/management/audit-events.js";
import { get } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type AuditEvent = z.infer<typeof auditEventSchema>;

const eventsPerPage = 50;
/** With a filter, a page of the server can be empty although there is a next one: this many are asked for until one has events. */
const pagesMax = 20;

export interface AuditFilter {
  readonly text: string;
  /** Dates of the browser's fields, in local time; empty: no limit. */
  readonly from: string;
  readonly to: string;
}

/** Lists events, the newest first. */
export async function listEvents(
  teamId: string,
  { text, from, to }: AuditFilter,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<AuditEvent>> {
  type Answer = { events: readonly AuditEvent[]; nextPageToken?: string };
  const query = {
    pageSize: eventsPerPage,
    "eventFilter.query": text,
    eventTimeFrom: from === "" ? undefined : new Date(`${from}T00:00`).toISOString(),
    eventTimeTo: to === "" ? undefined : dayAfter(to),
  };
  let next = token;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await get<Answer>(`/audit/teams/${teamId}/events`, { ...query, pageToken: next }, signal);
    next = answer.nextPageToken;
    if (answer.events.length > 0 || next === undefined) return { items: answer.events, next };
  }
  return { items: [], next };
}

/** Returns the end of a local day, which has 23 hours or 25 where the clocks change. */
function dayAfter(date: string): string {
  const day = new Date(`${date}T00:00`);
  day.setDate(day.getDate() + 1);
  return day.toISOString();
}
