/** GET /admin/models and GET and PUT /admin/models/{model}, an extension: the models of the server, and their settings. */
import { z } from "zod";
import { actorOf } from "../../accounts/audit/actors.js";
import { modelNotFound } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { ticksToUsdPerMillion } from "../../core/money.js";
import { countField, responseArray, responseObject } from "../../dialects/response-fields.js";
import { closestNames } from "../../models/closest-names.js";
import type { HttpDeps } from "../deps.js";
import { parseFields } from "../management/fields.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void> | void;
type AdminDeps = Pick<HttpDeps, "models" | "modelAdmin">;

const usdPerMillion = z.string().describe("USD per million tokens, such as `0.15`.");

const adminModel = responseObject({
  id: z.string(),
  object: z.literal("admin_model"),
  aliases: responseArray(z.string()),
  kind: z.enum(["chat", "image", "vision", "embedding", "rerank"]),
  family: z.string(),
  file: z.string(),
  bytes: countField("Size of all files."),
  sha256: z.string().nullable(),
  license: z.string(),
  contextTokens: countField("Tokens of prompt and answer together."),
  trainedTokens: z
    .number()
    .nullable()
    .describe("The context that it was trained with; null when its file does not say."),
  unusable: z.string().nullable().describe("Why it cannot be used; null when it can."),
  fingerprint: z.string(),
  prices: responseObject({
    prompt: usdPerMillion,
    cached: usdPerMillion,
    completion: usdPerMillion,
  }).meta({ id: "AdminModelPrices" }),
  settings: z
    .record(z.string(), z.unknown())
    .describe("The settings of the operator that are in effect; times are in ms."),
}).meta({ id: "AdminModel" });

const adminModelList = responseObject({
  object: z.literal("list"),
  data: responseArray(adminModel),
}).meta({ id: "AdminModelList" });

const updateRequest = z.record(z.string().max(100), z.unknown()).meta({
  id: "UpdateModelRequest",
  description:
    "The settings to change, as in `models:` of hearth.yaml: aliases, prices, context, slots, sampling, system, keepAlive, template, " +
    "kvCache, lora, base, scale, gpuLayers, reasoningTokensMax. null removes one.",
});

/** Lists all models, also those that cannot be used. */
export function listAdminModels({ models, modelAdmin }: AdminDeps): Handler {
  return ({ ctx }) => {
    const settings = modelAdmin.settings();
    const data = models.list().map((model) => present(model, settings));
    const answer: z.infer<typeof adminModelList> = { object: "list", data };
    ctx.body = answer;
  };
}

/** Returns one model. */
export function getAdminModel({ models, modelAdmin }: AdminDeps): Handler {
  return ({ ctx, params }) => {
    ctx.body = present(find(models, params["id"] ?? ""), modelAdmin.settings());
  };
}

/** Changes the settings of a model. */
export function updateAdminModel({ models, modelAdmin }: AdminDeps): Handler {
  return async ({ ctx, manager, body, params }) => {
    const change = parseFields(updateRequest, body);
    const { id } = find(models, params["id"] ?? "").manifest;
    await modelAdmin.update(id, change, actorOf(manager));
    ctx.body = present(find(models, id), modelAdmin.settings());
  };
}

const params = { id: "ID or alias of the model; it may contain slashes." };

export const listAdminModelsDocs: RouteDocs = {
  operation: "listAdminModels",
  tag: "Models",
  summary: "List all models with their settings",
  description: "An extension of Hearth. Includes models that cannot be used, with the reason.",
  answers: { 200: { description: "The models, in order of ID.", schema: adminModelList } },
};

export const getAdminModelDocs: RouteDocs = {
  operation: "getAdminModel",
  tag: "Models",
  summary: "Get a model with its settings",
  description: "An extension of Hearth.",
  params,
  answers: { 200: { description: "The model.", schema: adminModel } },
};

export const updateAdminModelDocs: RouteDocs = {
  operation: "updateAdminModel",
  tag: "Models",
  summary: "Change the settings of a model",
  description:
    "An extension of Hearth. Takes effect with the next request; requests that run keep the model that they began with. A setting " +
    "that hearth.yaml has is changed there. Requires a management key for all teams.",
  params,
  body: updateRequest,
  example: { aliases: ["gpt-4o-mini"], prices: { prompt: 0.15, completion: 0.6 } },
  answers: { 200: { description: "The model with its new settings.", schema: adminModel } },
  errors: ["conflict"],
};

function find(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name, closestNames(name, models.list()));
  return model;
}

function present(
  model: Model,
  settings: ReturnType<HttpDeps["modelAdmin"]["settings"]>,
): z.infer<typeof adminModel> {
  const { manifest, unusable, fingerprint, trainedTokens = null } = model;
  const { prices } = manifest;
  return {
    id: manifest.id,
    object: "admin_model",
    aliases: [...manifest.aliases],
    kind: manifest.kind,
    family: manifest.family,
    file: manifest.file,
    bytes: manifest.bytes,
    sha256: manifest.sha256,
    license: manifest.license,
    contextTokens: manifest.contextTokens,
    trainedTokens,
    unusable,
    fingerprint,
    prices: {
      prompt: ticksToUsdPerMillion(prices.promptTextTokenTicks),
      cached: ticksToUsdPerMillion(prices.cachedPromptTextTokenTicks),
      completion: ticksToUsdPerMillion(prices.completionTextTokenTicks),
    },
    settings: { ...(Object.hasOwn(settings, manifest.id) ? settings[manifest.id] : {}) },
  };
}
