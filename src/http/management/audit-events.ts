/** GET /audit/teams/{teamId}/events: lists the audit events of a team in pages. */
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import type { AuditEventWithMember } from "../../accounts/audit-log.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { epochMs, parseFields, timeField } from "../../dialects/management/fields.js";
import { createPages, encodePageToken } from "../../dialects/management/pages.js";
import { managementRoute } from "../server/route.js";
import { timeSchema, timestamp } from "../../dialects/management/answers.js";

/** An event has what was changed, before and after. */
const pages = createPages(z.number().int(), { items: "Events", usual: 1000, most: 1000 });

const querySchema = z.object({
  pageSize: pages.query.pageSize,
  pageToken: pages.query.paginationToken,
  "eventFilter.userId": z.string().nullish().describe("Only actions of this member or management key."),
  "eventFilter.query": z.string().nullish().describe("Only events with this text in the description."),
  "eventFilter.eventId": z.string().nullish().describe("Only this event."),
  eventTimeFrom: timeField.nullish().describe("Only events at or after this time."),
  eventTimeTo: timeField.nullish().describe("Only events before this time."),
  orderBy: z.enum(["TIME_ASCENDING", "TIME_DESCENDING"]).nullish().describe("Default: `TIME_DESCENDING`."),
});

const fields = z.record(z.string(), z.unknown()).readonly();

const auditEventSchema = responseObject({
  eventTime: timeSchema,
  eventId: z.string(),
  description: z.string(),
  user: responseObject({
    userId: z.string(),
    email: z.string().optional(),
    givenName: z.string().optional(),
    familyName: z.string().optional(),
  }).describe("The responsible user; more than the id for a current or former member."),
  actor: z
    .string()
    .describe(
      "Id of a management key, `cli` for the command line, `server` for actions at the start of the server.",
    ),
  act: z.string().describe("The action, such as `UpdateApiKey`."),
  objectId: z.string().describe("Id of the changed key, team or member."),
  before: fields
    .optional()
    .describe("The object before the change, without secrets; absent if it was created."),
  after: fields.optional().describe("The object after the change; absent if it was deleted."),
}).meta({ id: "AuditEvent" });

export type WireAuditEvent = z.infer<typeof auditEventSchema>;

const pageSchema = responseObject({
  events: responseArray(auditEventSchema),
  nextPageToken: pages.answer.paginationToken,
}).meta({ id: "AuditEventPage" });

/** Lists a page of events. */
export const listAuditEvents = managementRoute({
  method: "GET",
  path: "/audit/teams/:teamId/events",
  acl: "AuditRead",
  docs: {
    operation: "listAuditEvents",
    tag: "Accounts",
    summary: "List the audit events of a team",
    description: "With a filter, a page can be short or empty although there is a next page.",
    params: { teamId: "Id of a team that the management key may manage." },
    query: querySchema,
    answers: { 200: { description: "One page of events.", schema: pageSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const query = parseFields(querySchema, ctx.query);
    const { pageSize, pageToken: paginationToken } = query;
    const { limit, after } = pages.read({ pageSize, paginationToken }, "pageToken");
    const { events, next } = await accounts.auditLog.page(
      {
        teamId: params["teamId"] ?? "",
        order: query.orderBy === "TIME_ASCENDING" ? "ascending" : "descending",
        after: after === null ? null : { time: after[0], entry: after[1] },
        from: query.eventTimeFrom == null ? null : epochMs(query.eventTimeFrom),
        to: query.eventTimeTo == null ? null : epochMs(query.eventTimeTo),
        limit,
      },
      {
        eventId: query["eventFilter.eventId"] ?? null,
        userId: query["eventFilter.userId"] ?? null,
        text: query["eventFilter.query"] ?? null,
      },
      toActor(manager),
    );
    const answer: z.infer<typeof pageSchema> = {
      events: events.map(presentAuditEvent),
      nextPageToken: next === null ? undefined : encodePageToken([next.time, next.entry]),
    };
    ctx.body = answer;
  },
});

/** Presents an event. */
export function presentAuditEvent(event: AuditEventWithMember): WireAuditEvent {
  return {
    eventTime: timestamp(event.time),
    eventId: event.id,
    description: event.description,
    user: presentUser(event),
    actor: event.actor,
    act: event.action,
    objectId: event.objectId,
    before: event.before ?? undefined,
    after: event.after ?? undefined,
  };
}

function presentUser({ userId, member }: AuditEventWithMember): WireAuditEvent["user"] {
  if (member === null) return { userId };
  const { email, givenName, familyName } = member;
  return { userId, email, givenName, familyName };
}
