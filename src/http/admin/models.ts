/** GET /admin/models and GET, PUT and DELETE /admin/models/{model}, an extension: the models of the server, and their settings. */
import { z } from "zod";
import { actorOf } from "../../accounts/visibility.js";
import { modelNotFound } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { closestNames } from "../../models/closest-names.js";
import type { HttpDeps } from "../deps.js";
import { parseFields } from "../management/fields.js";
import { emptySchema } from "../management/nothing.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { adminModelSchema, presenter, type PresentDeps } from "./models/admin-model.js";

type Handler = (call: ManagementCall) => Promise<void> | void;
type AdminDeps = Pick<HttpDeps, "models"> & PresentDeps;

const adminModelList = responseObject({
  object: z.literal("list"),
  data: responseArray(adminModelSchema),
}).meta({ id: "AdminModelList" });

const updateRequest = z.record(z.string().max(100), z.unknown()).meta({
  id: "UpdateModelRequest",
  description:
    "The settings to change, as in `models:` of hearth.yaml: aliases, prices, context, slots, sampling, system, keepAlive, template, " +
    "kvCache, lora, base, scale, gpuLayers, reasoningTokensMax. null removes one.",
});

/** Lists all models, also those that cannot be used. */
export function listAdminModels(deps: AdminDeps): Handler {
  return ({ ctx }) => {
    const present = presenter(deps);
    const data = deps.models.list().map((model) => present(model));
    const answer: z.infer<typeof adminModelList> = { object: "list", data };
    ctx.body = answer;
  };
}

/** Returns one model. */
export function getAdminModel(deps: AdminDeps): Handler {
  return ({ ctx, params }) => {
    ctx.body = presenter(deps)(findModel(deps.models, params["id"] ?? ""));
  };
}

/** Changes the settings of a model. */
export function updateAdminModel(deps: AdminDeps): Handler {
  const { models, modelAdmin } = deps;
  return async ({ ctx, manager, body, params }) => {
    const change = parseFields(updateRequest, body);
    const { id } = findModel(models, params["id"] ?? "").manifest;
    await modelAdmin.update(id, change, actorOf(manager));
    ctx.body = presenter(deps)(findModel(models, id));
  };
}

/** Deletes a model that was pulled. */
export function deleteAdminModel({ models, modelAdmin }: AdminDeps): Handler {
  return async ({ ctx, manager, params }) => {
    await modelAdmin.remove(findModel(models, params["id"] ?? ""), actorOf(manager));
    ctx.body = {};
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
  answers: { 200: { description: "The model.", schema: adminModelSchema } },
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
  answers: { 200: { description: "The model with its new settings.", schema: adminModelSchema } },
  errors: ["conflict"],
};

export const deleteAdminModelDocs: RouteDocs = {
  operation: "deleteAdminModel",
  tag: "Models",
  summary: "Delete a model",
  description:
    "An extension of Hearth. Deletes the files and the settings of a model that was pulled; requests that run keep it. Other models, " +
    "and those that adapters are based on, are refused. Requires a management key for all teams.",
  params,
  answers: { 200: { description: "It is deleted.", schema: emptySchema } },
  errors: ["conflict"],
};

/** Finds a model by id or alias. @throws HearthError `model_not_found` with the closest names. */
export function findModel(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name, closestNames(name, models.list()));
  return model;
}
