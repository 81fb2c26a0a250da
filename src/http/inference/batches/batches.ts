/** /v1/batches: create, list and get batches; their input is an uploaded file. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import { fieldError, invalidValue, validFields } from "../../../dialects/field-error.js";
import {
  metadataField,
  pageItemsDefault,
  pageLimitField,
  requiredInteger,
} from "../../../dialects/request-fields.js";
import { batchEndpoints, findEndpointAcl } from "../../../jobs/batches/line-request.js";
import { batchPageSchema, batchSchema, presentBatch, presentBatchPage } from "./present-openai.js";
import { apiKeyRoute } from "../../server/route.js";

const endpoints = Object.keys(batchEndpoints) as (keyof typeof batchEndpoints)[];

const requestSchema = z.object({
  input_file_id: z
    .string()
    .describe("Id of a file with the purpose `batch`: one request as JSON on each line."),
  endpoint: z.enum(endpoints),
  completion_window: z.literal("24h"),
  metadata: metadataField.nullish(),
  output_expires_after: z
    .object({ anchor: z.literal("created_at"), seconds: requiredInteger(3_600, 2_592_000) })
    .nullish()
    .describe("How long the output is stored; 30 days without it."),
});

const querySchema = z.object({
  limit: pageLimitField,
  after: z.string().nullish().describe("Id of the batch after which the page starts; the newest come first."),
});

export const batchParams = { batch_id: "Id of a batch of the key's team." };

/** Creates a batch; its input is validated afterwards. */
export const createBatch = apiKeyRoute({
  method: "POST",
  path: "/v1/batches",
  acl: "batches",
  docs: {
    operation: "createBatch",
    tag: "Batches",
    summary: "Create a batch",
    description:
      "Each request of the input is answered as its endpoint would answer it, when there is capacity, at a reduced price. Rate limits " +
      "delay requests of a batch and do not refuse them.",
    body: requestSchema,
    example: {
      input_file_id: `file-${"0".repeat(32)}`,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    },
    errors: ["not_found"],
    answers: { 200: { description: "The batch, whose input is being validated.", schema: batchSchema } },
  },
  async handle({ ctx, principal, body, route }, { batches, files }) {
    const fields = validFields(requestSchema, body);
    authorise(principal, { endpoint: route.acl, model: null });
    authorise(principal, { endpoint: findEndpointAcl(fields.endpoint), model: null });
    const file = await files.find(fields.input_file_id, principal.team.id);
    if (file.purpose !== "batch")
      throw invalidValue("input_file_id", "must be a file that was uploaded with the purpose 'batch'");
    const { metadata, output_expires_after: expires } = fields;
    const request = {
      principal,
      endpoint: fields.endpoint,
      metadata: metadata == null ? null : JSON.stringify(metadata),
      outputExpiresMs: expires == null ? null : expires.seconds * 1000,
    };
    ctx.body = presentBatch(await batches.createFromFile(request, file.id));
  },
});

/** Lists the batches of the key's team, the newest first. */
export const listBatches = apiKeyRoute({
  method: "GET",
  path: "/v1/batches",
  acl: "batches",
  docs: {
    operation: "listBatches",
    tag: "Batches",
    summary: "List the batches of the team",
    query: querySchema,
    answers: { 200: { description: "A page of batches.", schema: batchPageSchema } },
  },
  async handle({ ctx, principal, route }, { batches }) {
    const parsed = querySchema.safeParse(ctx.query);
    if (!parsed.success) throw fieldError(parsed.error, ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const { limit, after } = parsed.data;
    const page = await batches.list({
      teamId: principal.team.id,
      format: "openai",
      order: "desc",
      after: after ?? null,
      limit: limit ?? pageItemsDefault,
    });
    ctx.body = presentBatchPage(page);
  },
});

/** Returns the current state of a batch. */
export const getBatch = apiKeyRoute({
  method: "GET",
  path: "/v1/batches/:batch_id",
  acl: "batches",
  docs: {
    operation: "getBatch",
    tag: "Batches",
    summary: "Get a batch",
    params: batchParams,
    answers: { 200: { description: "The batch.", schema: batchSchema } },
  },
  async handle({ ctx, principal, params, route }, { batches }) {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = presentBatch(await batches.find(params["batch_id"] ?? "", principal.team.id, "openai"));
  },
});
