/** GET /admin/requests and /admin/requests/{runId}, an extension: the log of requests, those in progress included. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { hasManagementAcl } from "../../../accounts/principals/manager-permissions.js";
import { ticksToUsd } from "../../../core/money.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import type { StoredBodies } from "../../../inference/bodies/store.js";
import { requestStatuses } from "../../../core/run-state.js";
import type { LoggedRequest } from "../../../inference/requests/logged-request.js";
import { epochMs, parseFields, timeField } from "../../../dialects/management/fields.js";
import { createPages, encodePageToken } from "../../../dialects/management/pages.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute } from "../../server/route.js";

const pages = createPages(z.string(), { items: "Requests", usual: 100, most: 1000 });

const querySchema = z.object({
  ...pages.query,
  teamId: z.string().nullish().describe("Only requests of this team."),
  apiKeyId: z.string().nullish().describe("Only requests with this API key."),
  model: z.string().nullish().describe("Only requests for this model: its ID, or a name it was asked by."),
  status: z.enum(requestStatuses).nullish().describe("Only requests in this state."),
  since: timeField.nullish().describe("Only requests that were accepted at this time or later."),
  until: timeField.nullish().describe("Only requests that were accepted before this time."),
  query: z
    .string()
    .max(200)
    .nullish()
    .describe(
      "Only requests that have this text in the ID, the request ID, a name of the model, the endpoint, the kind of the error, the name " +
        "of the API key, a tag or the end user, whatever the case of its letters.",
    ),
});

const count = z.int().min(0);

const requestFields = {
  id: z.string().describe("ID of its run. Answers to chat completions have it as `id`."),
  requestId: z.string().describe("The `x-request-id` of its answer; of a job, the ID of the job."),
  teamId: z.string(),
  apiKeyId: z.string(),
  apiKeyName: z.string().optional().describe("Absent if the key was deleted."),
  model: z.string().describe("ID of the model."),
  requestedModel: z.string().optional().describe("The name by which it was asked."),
  endpoint: z.string().describe("Path of the route, such as `/v1/messages`."),
  streamed: z.boolean().optional().describe("Whether the client reads the answer as a stream."),
  status: z
    .enum(requestStatuses)
    .describe(
      "`queued`: it waits for its model or a slot. `aborted`: its client left. `cancelled`: the operator ended it. `interrupted`: the " +
        "server stopped, or a job starts again later; it costs nothing.",
    ),
  finishReason: z.string().optional().describe("Why the last answer ended, such as `stop` or `length`."),
  errorKind: z.string().optional().describe("The kind of the error that ended it."),
  createTime: timeSchema.describe("When it was accepted."),
  startTime: timeSchema.optional().describe("When it got a slot."),
  firstTokenTime: timeSchema.optional().describe("When the first text came."),
  endTime: timeSchema.optional(),
  promptTokens: count.describe(
    "With cached tokens. For a request in progress, this field and the next ones are the amounts so far.",
  ),
  cachedTokens: count,
  completionTokens: count.describe("Without reasoning."),
  reasoningTokens: count,
  images: count.describe("Generated images."),
  costUsd: z.string().describe("In USD, exact, such as `0.0000125`."),
};

export const requestSchema = responseObject(requestFields).meta({
  id: "LoggedRequest",
  description: "A request and what became of it. It has no prompt and no answer.",
});

export type WireRequest = z.infer<typeof requestSchema>;

const message = responseObject({
  role: z.string(),
  parts: responseArray(z.looseObject({ type: z.string() })).describe(
    "`text` and `reasoning` have `content`, `tool_call` has `id`, `name` and `arguments`, `tool_call_response` has `id` and `response`.",
  ),
  finish_reason: z.string().optional(),
}).meta({ id: "KeptMessage" });

const bodiesSchema = responseObject({
  input: responseArray(message).describe("What the model read: the conversation, the prompt or the inputs."),
  output: responseArray(message).describe("What it wrote, one message for each answer."),
  isCut: z.boolean().describe("Whether something was left out, because it is too long."),
  expireTime: timeSchema.describe("When it is deleted."),
}).meta({ id: "RequestBodies" });

const requestWithBodiesSchema = responseObject({
  ...requestFields,
  bodies: bodiesSchema
    .optional()
    .describe(
      "What the request and its answer had. Present if the team keeps it, the request does not have `store: false`, and the key has " +
        "the ACL `team-token:endpoint:ReadRequestBodies`.",
    ),
}).meta({ id: "LoggedRequestWithBodies" });

export type WireRequestDetails = z.infer<typeof requestWithBodiesSchema>;

const pageSchema = responseObject({
  requests: responseArray(requestSchema).describe("The newest first."),
  ...pages.answer,
}).meta({ id: "LoggedRequestPage" });

/** Lists a page of requests. */
export const listRequests = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/requests",
  acl: "ListRequests",
  docs: {
    operation: "listRequests",
    tag: "Accounts",
    summary: "List requests, those in progress included",
    description:
      "An extension of Hearth. The newest first, by the time of acceptance. A management key for one team lists the requests of this " +
      "team, and one of a member with the role `member` those with keys of their own. With a filter, a page can be short or empty " +
      "although there is a next page. Requests that were refused before they got a slot are in the log of the server only.",
    query: querySchema,
    answers: { 200: { description: "One page of requests.", schema: pageSchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager }, { requestLog }) {
    const query = parseFields(querySchema, ctx.query);
    const { limit, after } = pages.read(query);
    const { requests, next } = await requestLog.page(
      {
        teamId: query.teamId ?? null,
        apiKeyId: query.apiKeyId ?? null,
        model: query.model ?? null,
        status: query.status ?? null,
        since: query.since == null ? null : epochMs(query.since),
        until: query.until == null ? null : epochMs(query.until),
        text: query.query || null,
        after: after === null ? null : { createTime: after[0], id: after[1] },
        limit,
      },
      toActor(manager),
    );
    const answer: z.infer<typeof pageSchema> = {
      requests: requests.map(presentRequest),
      paginationToken: next === null ? undefined : encodePageToken([next.createTime, next.id]),
    };
    ctx.body = answer;
  },
});

/** Returns a request. */
export const getRequest = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/requests/:runId",
  acl: "ListRequests",
  docs: {
    operation: "getRequest",
    tag: "Accounts",
    summary: "Get a request",
    description:
      "An extension of Hearth. It has what the request and its answer had where the team keeps that.",
    params: { runId: "ID of a request." },
    answers: { 200: { description: "The request.", schema: requestWithBodiesSchema } },
  },
  async handle({ ctx, manager, params }, { requestLog }) {
    const [id, actor] = [params["runId"] ?? "", toActor(manager)];
    const request = presentRequest(await requestLog.find(id, actor));
    const mayRead = hasManagementAcl(manager, "ReadRequestBodies");
    const kept = mayRead ? await requestLog.bodies(id, actor) : null;
    const answer: WireRequestDetails = kept === null ? request : { ...request, bodies: presentBodies(kept) };
    ctx.body = answer;
  },
});

function presentBodies({ input, output, isCut, expireTime }: StoredBodies): z.infer<typeof bodiesSchema> {
  return {
    input: JSON.parse(input) as z.infer<typeof message>[],
    output: JSON.parse(output) as z.infer<typeof message>[],
    isCut,
    expireTime: timestamp(expireTime),
  };
}

/** Presents a request. */
export function presentRequest(request: LoggedRequest): WireRequest {
  const { apiKeyName, requestedModel, streamed, finishReason, errorKind, usage } = request;
  const { createTime, startTime, firstTokenMs, endTime } = request;
  return {
    id: request.id,
    requestId: request.requestId,
    teamId: request.teamId,
    apiKeyId: request.apiKeyId,
    apiKeyName: apiKeyName ?? undefined,
    model: request.model,
    requestedModel: requestedModel ?? undefined,
    endpoint: request.endpoint,
    streamed: streamed ?? undefined,
    status: request.status,
    finishReason: finishReason ?? undefined,
    errorKind: errorKind ?? undefined,
    createTime: timestamp(createTime),
    startTime: timestamp(startTime),
    firstTokenTime: timestamp(firstTokenMs === null ? null : createTime + Math.round(firstTokenMs)),
    endTime: timestamp(endTime),
    promptTokens: usage.promptTokens,
    cachedTokens: usage.cachedTokens,
    completionTokens: usage.completionTokens,
    reasoningTokens: usage.reasoningTokens,
    images: usage.images ?? 0,
    costUsd: ticksToUsd(BigInt(request.costTicks)),
  };
}
