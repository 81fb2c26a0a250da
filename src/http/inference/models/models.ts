/** GET /v1/models and /v1/models/{id}: the models that the key may use, in a shape that OpenAI and Anthropic clients read. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import type { Model } from "../../../core/model.js";
import { fieldError, invalidValue } from "../../../dialects/field-error.js";
import { queryInteger } from "../../../dialects/request-fields.js";
import {
  countField,
  responseArray,
  responseObject,
  unixSecondsField,
} from "../../../dialects/response-fields.js";
import { apiKeyRoute } from "../../server/route.js";
import { visibleModel, visibleModels } from "../../../answers/visible-models.js";

const pageModelsMax = 1_000;

const model = responseObject({
  id: z.string(),
  object: z.literal("model"),
  created: unixSecondsField,
  owned_by: z.literal("hearth"),
  type: z.literal("model"),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: countField("Tokens of the longest prompt."),
  max_tokens: countField("Tokens of the longest answer: prompt and answer share the context.").nullable(),
  lifecycle: z.literal("active"),
  deprecated_at: z.null(),
  retires_at: z.null(),
  line: z.null(),
  capabilities: z.null(),
}).meta({ id: "Model", description: "A model, in a shape that OpenAI and Anthropic clients read." });

const modelList = responseObject({
  object: z.literal("list"),
  data: responseArray(model).describe("Chat models first, then the others; each group in order of id."),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
}).meta({ id: "ModelList" });

const listQuery = z.object({
  limit: queryInteger(1, pageModelsMax).describe("Models on a page; all when it is absent."),
  after_id: z.string().optional().describe("Begins after this model."),
  before_id: z.string().optional().describe("Ends before this model."),
});

/** Lists the models, chat models first; all of them, or a page as Anthropic's clients request it. */
export const listModels = apiKeyRoute({
  method: "GET",
  path: "/v1/models",
  acl: "models",
  docs: {
    operation: "listModels",
    tag: "Models",
    summary: "List the models that the key may use",
    query: listQuery,
    answers: { 200: { description: "The models.", schema: modelList } },
  },
  handle({ ctx, principal, route }, app) {
    const query = parseQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const { models, hasMore } = cutPage(visibleModels(app.models, principal).map(present), query);
    ctx.body = {
      object: "list",
      data: models,
      has_more: hasMore,
      first_id: models[0]?.id ?? null,
      last_id: models.at(-1)?.id ?? null,
    };
  },
});

/** Returns one model by id or alias. */
export const getModel = apiKeyRoute({
  method: "GET",
  path: "/v1/models/*id",
  acl: "models",
  docs: {
    operation: "getModel",
    tag: "Models",
    summary: "Get a model",
    params: { id: "Id or alias of a model." },
    answers: { 200: { description: "The model.", schema: model } },
  },
  handle({ ctx, principal, params, route }, app) {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = present(visibleModel(app.models, principal, params["id"] ?? ""));
  },
});

type ListQuery = z.infer<typeof listQuery>;

function parseQuery(query: unknown): ListQuery {
  const parsed = listQuery.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  const { after_id: after, before_id: before } = parsed.data;
  if (after !== undefined && before !== undefined)
    throw invalidValue("before_id", "is not allowed together with after_id");
  return parsed.data;
}

/** Returns a page, and whether there are more models in its direction: before it with `before_id`, else after it. */
function cutPage<Entry extends { readonly id: string }>(
  all: readonly Entry[],
  { limit: limitMax, after_id: after, before_id: before }: ListQuery,
): { readonly models: readonly Entry[]; readonly hasMore: boolean } {
  const limit = limitMax ?? all.length;
  if (before !== undefined) {
    const end = locateModel(all, before, "before_id");
    const start = Math.max(0, end - limit);
    return { models: all.slice(start, end), hasMore: start > 0 };
  }
  const start = after === undefined ? 0 : locateModel(all, after, "after_id") + 1;
  return { models: all.slice(start, start + limit), hasMore: start + limit < all.length };
}

function locateModel(all: readonly { readonly id: string }[], id: string, param: string): number {
  const index = all.findIndex((model) => model.id === id);
  if (index < 0) throw invalidValue(param, `there is no model '${id.slice(0, 200)}' in the list`);
  return index;
}

function present({ manifest }: Model): z.infer<typeof model> {
  return {
    id: manifest.id,
    object: "model",
    created: manifest.created,
    owned_by: "hearth",
    type: "model",
    display_name: manifest.name,
    created_at: new Date(manifest.created * 1000).toISOString(),
    max_input_tokens: manifest.contextTokens,
    max_tokens: manifest.kind === "chat" ? manifest.contextTokens : null,
    lifecycle: "active",
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
  };
}
