/** GET /v1/models and /v1/models/{id}: the models that the key may use, in a shape that OpenAI and Anthropic clients read. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import type { Model } from "../../core/model.js";
import { responseObject, responseArray, unixSecondsField } from "../../dialects/response-fields.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { visibleModel, visibleModels } from "../models/visible-models.js";

const model = responseObject({
  id: z.string(),
  object: z.literal("model"),
  created: unixSecondsField,
  owned_by: z.literal("hearth"),
  type: z.literal("model"),
  display_name: z.string(),
  created_at: z.iso.datetime(),
}).meta({ id: "Model", description: "A model, in a shape that OpenAI and Anthropic clients read." });

const modelList = responseObject({
  object: z.literal("list"),
  data: responseArray(model).describe("Chat models first, then the others; each group in order of id."),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
}).meta({ id: "ModelList" });

/** Lists the models, chat models first. */
export function listModels(deps: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const data = visibleModels(deps.models, principal).map(present);
    ctx.body = {
      object: "list",
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    };
  };
}

/** Returns one model by id or alias. */
export function getModel(deps: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(deps.models, principal, params["id"] ?? ""));
  };
}

export const listModelsDocs: RouteDocs = {
  operation: "listModels",
  tag: "Models",
  summary: "List the models that the key may use",
  answers: { 200: { description: "The models.", schema: modelList } },
};

export const getModelDocs: RouteDocs = {
  operation: "getModel",
  tag: "Models",
  summary: "Get a model",
  params: { id: "Id or alias of a model." },
  answers: { 200: { description: "The model.", schema: model } },
};

function present({ manifest }: Model): z.infer<typeof model> {
  return {
    id: manifest.id,
    object: "model",
    created: manifest.created,
    owned_by: "hearth",
    type: "model",
    display_name: manifest.name,
    created_at: new Date(manifest.created * 1000).toISOString(),
  };
}
