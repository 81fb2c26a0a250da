/** POST /admin/models/load and /admin/models/unload, an extension: puts a model into memory before it is asked, or takes it out. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import { parseFields } from "../../management/fields.js";
import { findModel } from "../models.js";
import { whileClientWaits } from "../../reply/client.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { adminModelSchema, presenter, type PresentDeps } from "./admin-model.js";

type Handler = (call: ManagementCall) => Promise<void>;
type MemoryDeps = Pick<HttpDeps, "models"> & PresentDeps;

const memoryRequest = z
  .object({ model: z.string().min(1).max(200).describe("ID or alias.") })
  .meta({ id: "ModelMemoryRequest" });

/** Loads a model; what it loads stays for its keep-alive time. */
export function loadModel(deps: MemoryDeps): Handler {
  return async ({ ctx, manager, body }) => {
    const model = findModel(deps.models, parseFields(memoryRequest, body).model);
    const isLoaded = await whileClientWaits(ctx.req.socket, async (signal) => {
      await deps.modelAdmin.load(model, actorOf(manager), signal);
      return true;
    });
    if (isLoaded !== null) ctx.body = presenter(deps)(model);
  };
}

/** Unloads a model. */
export function unloadModel(deps: MemoryDeps): Handler {
  return async ({ ctx, manager, body }) => {
    const model = findModel(deps.models, parseFields(memoryRequest, body).model);
    await deps.modelAdmin.unload(model, actorOf(manager));
    ctx.body = presenter(deps)(model);
  };
}

export const loadModelDocs: RouteDocs = {
  operation: "loadAdminModel",
  tag: "Models",
  summary: "Load a model into memory",
  description:
    "An extension of Hearth. Answers when the model is in memory, where it stays for its keep-alive time. A vision model is loaded by " +
    "the first image only. Requires a management key for all teams.",
  body: memoryRequest,
  example: { model: "hearth-tiny-5m" },
  answers: { 200: { description: "The model.", schema: adminModelSchema } },
};

export const unloadModelDocs: RouteDocs = {
  operation: "unloadAdminModel",
  tag: "Models",
  summary: "Unload a model from memory",
  description:
    "An extension of Hearth. A model in use stays until its last run has ended; the next request loads it again. Requires a management " +
    "key for all teams.",
  body: memoryRequest,
  example: { model: "hearth-tiny-5m" },
  answers: { 200: { description: "The model; it may be in memory still.", schema: adminModelSchema } },
};
