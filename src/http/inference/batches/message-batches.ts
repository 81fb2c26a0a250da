/** /v1/messages/batches: create, list, get and delete message batches; their requests are in the body. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import { memberTexts } from "../../../core/json/member-texts.js";
import { fieldError, invalidValue, validFields } from "../../../dialects/field-error.js";
import { boundedArray, pageItemsDefault, queryInteger } from "../../../dialects/request-fields.js";
import { responseObject } from "../../../dialects/response-fields.js";
import type { BatchLine } from "../../../jobs/batches/batch.js";
import { findEndpointAcl, messagesEndpoint } from "../../../jobs/batches/line-request.js";
import {
  messageBatchPageSchema,
  messageBatchSchema,
  readOrigin,
  presentMessageBatch,
  presentMessageBatchPage,
} from "./present-anthropic.js";
import { apiKeyRoute } from "../../server/route.js";

const requestsMax = 100_000;
const pageMax = 1_000;

const requestSchema = z.object({
  requests: boundedArray(
    z.object({
      custom_id: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, underscores and hyphens"),
      params: z
        .looseObject({
          model: z.string(),
          mcp_servers: z
            .array(z.unknown())
            .max(0, "MCP servers are not supported in batches")
            .nullish()
            .describe("Not supported: rejected unless empty."),
        })
        .describe("A request of `POST /v1/messages`."),
    }),
    requestsMax,
  ).refine((requests) => requests.length > 0, "must hold at least one request"),
});

const querySchema = z.object({
  limit: queryInteger(1, pageMax),
  after_id: z
    .string()
    .nullish()
    .describe("Id of the batch after which the page starts; the newest come first."),
  before_id: z.string().nullish().describe("Id of the batch before which the page ends."),
});

export const messageBatchParams = { message_batch_id: "Id of a message batch of the key's team." };

/** Creates a message batch. */
export const createMessageBatch = apiKeyRoute({
  method: "POST",
  path: "/v1/messages/batches",
  acl: "batches",
  errors: "anthropic",
  docs: {
    operation: "createMessageBatch",
    tag: "Batches",
    summary: "Create a message batch",
    description:
      "Each request is answered as `POST /v1/messages` would answer it, when there is capacity, at a reduced price.",
    body: requestSchema,
    example: {
      requests: [
        {
          custom_id: "first",
          params: {
            model: "hearth-tiny-5m",
            max_tokens: 64,
            messages: [{ role: "user", content: "Hello!" }],
          },
        },
      ],
    },
    answers: { 200: { description: "The batch.", schema: messageBatchSchema } },
  },
  async handle({ ctx, principal, body, bodyText, route }, { batches }) {
    const { requests } = validFields(requestSchema, body);
    authorise(principal, { endpoint: route.acl, model: null });
    authorise(principal, { endpoint: findEndpointAcl(messagesEndpoint), model: null });
    const { batchLinesMax } = batches.limits;
    if (requests.length > batchLinesMax)
      throw invalidValue("requests", `must hold at most ${batchLinesMax} elements`);
    refuseDuplicates(requests.map((request) => request.custom_id));
    const texts =
      bodyText === null
        ? []
        : memberTexts(
            bodyText,
            requests.map((_, at) => `requests.${at}.params`),
          );
    const lines = requests.map(({ custom_id: customId, params }, line): BatchLine => ({
      line,
      customId,
      body: texts[line] ?? JSON.stringify(params),
    }));
    const request = { principal, endpoint: messagesEndpoint, metadata: null, outputExpiresMs: null };
    ctx.body = presentMessageBatch(await batches.createFromLines(request, lines), readOrigin(ctx));
  },
});

/** Lists the message batches of the key's team, the newest first. */
export const listMessageBatches = apiKeyRoute({
  method: "GET",
  path: "/v1/messages/batches",
  acl: "batches",
  errors: "anthropic",
  docs: {
    operation: "listMessageBatches",
    tag: "Batches",
    summary: "List the message batches of the team",
    query: querySchema,
    answers: { 200: { description: "A page of batches.", schema: messageBatchPageSchema } },
  },
  async handle({ ctx, principal, route }, { batches }) {
    const parsed = querySchema.safeParse(ctx.query);
    if (!parsed.success) throw fieldError(parsed.error, ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const { limit, after_id: after, before_id: before } = parsed.data;
    const query = {
      teamId: principal.team.id,
      format: "anthropic",
      limit: limit ?? pageItemsDefault,
    } as const;
    if (before == null) {
      const page = await batches.list({ ...query, order: "desc", after: after ?? null });
      ctx.body = presentMessageBatchPage(page, readOrigin(ctx));
      return;
    }
    const page = await batches.list({ ...query, order: "asc", after: before });
    ctx.body = presentMessageBatchPage({ ...page, batches: page.batches.toReversed() }, readOrigin(ctx));
  },
});

/** Returns the current state of a message batch. */
export const getMessageBatch = apiKeyRoute({
  method: "GET",
  path: "/v1/messages/batches/:message_batch_id",
  acl: "batches",
  errors: "anthropic",
  docs: {
    operation: "getMessageBatch",
    tag: "Batches",
    summary: "Get a message batch",
    params: messageBatchParams,
    answers: { 200: { description: "The batch.", schema: messageBatchSchema } },
  },
  async handle({ ctx, principal, params, route }, { batches }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const batch = await batches.find(params["message_batch_id"] ?? "", principal.team.id, "anthropic");
    ctx.body = presentMessageBatch(batch, readOrigin(ctx));
  },
});

/** Deletes a message batch that has ended, and its results. */
export const deleteMessageBatch = apiKeyRoute({
  method: "DELETE",
  path: "/v1/messages/batches/:message_batch_id",
  acl: "batches",
  errors: "anthropic",
  docs: {
    operation: "deleteMessageBatch",
    tag: "Batches",
    summary: "Delete a message batch that has ended",
    params: messageBatchParams,
    errors: ["conflict"],
    answers: {
      200: {
        description: "The batch is deleted.",
        schema: responseObject({ id: z.string(), type: z.literal("message_batch_deleted") }).meta({
          id: "DeletedMessageBatch",
        }),
      },
    },
  },
  async handle({ ctx, principal, params, route }, { batches }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const batch = await batches.find(params["message_batch_id"] ?? "", principal.team.id, "anthropic");
    await batches.delete(batch);
    ctx.body = { id: batch.id, type: "message_batch_deleted" };
  },
});

function refuseDuplicates(customIds: readonly string[]): void {
  const seen = new Set<string>();
  for (const [at, customId] of customIds.entries()) {
    if (seen.has(customId))
      throw invalidValue(`requests.${at}.custom_id`, "must not be that of another request");
    seen.add(customId);
  }
}
