/** GET /admin/models and GET, PUT and DELETE /admin/models/{model}, an extension: the models of the server, and their settings. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { modelNotFound } from "../../../core/errors.js";
import type { Model, ModelRegistry } from "../../../core/model.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { closestNames } from "../../../models/closest-names.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { emptySchema } from "../../../dialects/management/answers.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute, managementRoute } from "../../server/route.js";
import { adminModelSchema, presenter } from "./present-model.js";

const adminModelList = responseObject({
  object: z.literal("list"),
  data: responseArray(adminModelSchema),
}).meta({ id: "AdminModelList" });

const updateRequest = z.record(z.string().max(100), z.unknown()).meta({
  id: "UpdateModelRequest",
  description:
    "The settings to change, as in `models:` of hearth.yaml: aliases, prices, context, slots, sampling, system, keepAlive, template, " +
    "kvCache, lora, projector, base, scale, gpuLayers, cpuExperts, cpuTensors, mainGpu, gpuSplit, gpuShares, reasoningTokensMax. null removes one.",
});

const params = { id: "ID or alias of the model; it may contain slashes." };

/** Lists all models, also those that cannot be used. */
export const listAdminModels = managementRoute({
  method: "GET",
  path: "/admin/models",
  acl: "ListModels",
  forAllTeams: true,
  docs: {
    operation: "listAdminModels",
    tag: "Models",
    summary: "List all models with their settings",
    description: "An extension of Hearth. Includes models that cannot be used, with the reason.",
    answers: { 200: { description: "The models, in order of ID.", schema: adminModelList } },
  },
  handle({ ctx }, app) {
    const present = presenter(app);
    const data = app.models.list().map((model) => present(model));
    const answer: z.infer<typeof adminModelList> = { object: "list", data };
    ctx.body = answer;
  },
});

/** Returns one model. */
export const getAdminModel = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/models/*id",
  acl: "ListModels",
  forAllTeams: true,
  docs: {
    operation: "getAdminModel",
    tag: "Models",
    summary: "Get a model with its settings",
    description: "An extension of Hearth.",
    params,
    answers: { 200: { description: "The model.", schema: adminModelSchema } },
  },
  handle({ ctx, params }, app) {
    ctx.body = presenter(app)(findModel(app.models, params["id"] ?? ""));
  },
});

/** Changes the settings of a model. */
export const updateAdminModel = managementRoute({
  method: "PUT",
  path: "/admin/models/*id",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
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
  },
  async handle({ ctx, manager, body, params }, app) {
    const { models, modelAdmin } = app;

    const change = parseFields(updateRequest, body);
    const { id } = findModel(models, params["id"] ?? "").manifest;
    await modelAdmin.update(id, change, toActor(manager));
    ctx.body = presenter(app)(findModel(models, id));
  },
});

/** Deletes a model that was pulled. */
export const deleteAdminModel = managementRoute({
  method: "DELETE",
  path: "/admin/models/*id",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
    operation: "deleteAdminModel",
    tag: "Models",
    summary: "Delete a model",
    description:
      "An extension of Hearth. Deletes the files and the settings of a model that was pulled; requests that run keep it. Other models, " +
      "and those that adapters are based on, are refused. Requires a management key for all teams.",
    params,
    answers: { 200: { description: "It is deleted.", schema: emptySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, params }, { models, modelAdmin }) {
    await modelAdmin.removePulled(findModel(models, params["id"] ?? ""), toActor(manager));
    ctx.body = {};
  },
});

/** Finds a model by id or alias. @throws HearthError `model_not_found` with the closest names. */
export function findModel(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name, closestNames(name, models.list()));
  return model;
}
