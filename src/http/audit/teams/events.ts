/** GET /audit/teams/{teamId}/events: what was done to a team and its keys, page by page. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import type { ToldAuditEvent } from "../../../accounts/audit/audit-log.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import { epochMs, instant, read } from "../../management/fields.js";
import { pageItems, pageSizeField, pageToken, pageTokenField, placeOf } from "../../management/pages.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { time, timestamp } from "../../management/timestamp.js";

const querySchema = z.object({
  pageSize: pageSizeField,
  pageToken: pageTokenField,
  "eventFilter.userId": z.string().nullish().describe("Only acts of this member or management key."),
  "eventFilter.query": z.string().nullish().describe("Only events whose description has this in it."),
  "eventFilter.eventId": z.string().nullish().describe("Only this event."),
  eventTimeFrom: instant.nullish().describe("Only events of this time or later."),
  eventTimeTo: instant.nullish().describe("Only events before this time."),
  orderBy: z
    .enum(["TIME_ASCENDING", "TIME_DESCENDING"])
    .nullish()
    .describe("The newest come first when it is left out."),
});

const fields = z.record(z.string(), z.unknown()).readonly();

const auditEvent = shape({
  eventTime: time,
  eventId: z.string(),
  description: z.string(),
  user: shape({
    userId: z.string(),
    email: z.string().optional(),
    givenName: z.string().optional(),
    familyName: z.string().optional(),
  }).describe("On whose behalf; more than the id where that is, or was, a member."),
  actor: z
    .string()
    .describe("Id of a management key, `cli` at the command line, `server` for what a start makes."),
  act: z.string().describe("Such as `UpdateApiKey`."),
  objectId: z.string().describe("Id of the key, team or member."),
  before: fields.optional().describe("The thing before, without secrets; not there when it was made."),
  after: fields.optional().describe("The thing after; not there when it was removed."),
}).meta({ id: "AuditEvent" });

const pageSchema = shape({
  events: shapes(auditEvent),
  nextPageToken: z.string().optional().describe("Of the next page; not there on the last."),
}).meta({ id: "AuditEventPage" });

/** Lists a page of events. */
export function listAuditEvents({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    const query = read(querySchema, ctx.query);
    const place = placeOf(query.pageToken, z.number().int(), "pageToken");
    authoriseManager(manager, route.endpointAcl);
    const { events, next } = await accounts.auditLog.page(
      {
        teamId: params["teamId"] ?? "",
        order: query.orderBy === "TIME_ASCENDING" ? "ascending" : "descending",
        after: place === null ? null : { time: place[0], entry: place[1] },
        from: query.eventTimeFrom == null ? null : epochMs(query.eventTimeFrom),
        to: query.eventTimeTo == null ? null : epochMs(query.eventTimeTo),
        limit: pageItems(query.pageSize),
      },
      {
        eventId: query["eventFilter.eventId"] ?? null,
        userId: query["eventFilter.userId"] ?? null,
        text: query["eventFilter.query"] ?? null,
      },
      actorOf(manager),
    );
    const answer: z.infer<typeof pageSchema> = {
      events: events.map(present),
      ...(next === null ? {} : { nextPageToken: pageToken([next.time, next.entry]) }),
    };
    ctx.body = answer;
  };
}

export const auditEventsDocs: RouteDocs = {
  operation: "listAuditEvents",
  tag: "Accounts",
  summary: "List what was done to a team and its keys",
  description: "With a filter, a page may be short or empty and yet have a next one.",
  params: { teamId: "Id of a team that the management key is for." },
  query: querySchema,
  answers: { 200: { description: "One page of events.", schema: pageSchema } },
};

function present(event: ToldAuditEvent): z.infer<typeof auditEvent> {
  return {
    eventTime: timestamp(event.time),
    eventId: event.id,
    description: event.description,
    user: presentUser(event),
    actor: event.actor,
    act: event.act,
    objectId: event.objectId,
    ...(event.before === null ? {} : { before: event.before }),
    ...(event.after === null ? {} : { after: event.after }),
  };
}

function presentUser({ userId, member }: ToldAuditEvent): z.infer<typeof auditEvent>["user"] {
  if (member === null) return { userId };
  const { email, givenName, familyName } = member;
  return { userId, email, givenName, familyName };
}
