/** GET /v1/models and /v1/models/{id}: what the caller's key may use, in a shape that OpenAI and Anthropic clients read. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import type { Model } from "../../core/model.js";
import { shape, shapes, unixSeconds } from "../../dialects/shape.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { visibleModel, visibleModels } from "../models/visible-models.js";

const model = shape({
  id: z.string(),
  object: z.literal("model"),
  created: unixSeconds,
  owned_by: z.literal("hearth"),
  type: z.literal("model"),
  display_name: z.string(),
  created_at: z.iso.datetime(),
}).meta({ id: "Model", description: "In a shape that OpenAI and Anthropic clients read." });

const modelList = shape({
  object: z.literal("list"),
  data: shapes(model).describe("First those that chat, each kind in order of id."),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
}).meta({ id: "ModelList" });

/** Lists the models, those that chat first. */
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

/** Finds one model by id or alias; one that the key may not use is answered like one that is not there. */
export function findModel(deps: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(deps.models, principal, params["id"] ?? ""));
  };
}

export const modelListDocs: RouteDocs = {
  operation: "listModels",
  tag: "Models",
  summary: "List the models that the key may use",
  answers: { 200: { description: "The models.", schema: modelList } },
};

export const modelDocs: RouteDocs = {
  operation: "getModel",
  tag: "Models",
  summary: "Find a model",
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
