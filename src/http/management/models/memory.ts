/** POST /admin/models/load and /admin/models/unload, an extension: puts a model into memory before it is asked, or takes it out. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { findModel } from "./models.js";
import { whileClientWaits } from "../../server/reply/client.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute, managementRoute } from "../../server/route.js";
import { adminModelSchema, presenter } from "./present-model.js";

const memoryRequest = z
  .object({ model: z.string().min(1).max(200).describe("ID or alias.") })
  .meta({ id: "ModelMemoryRequest" });

/** Loads a model; what it loads stays for its keep-alive time. */
export const loadModel = managementRoute({
  method: "POST",
  path: "/admin/models/load",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
    operation: "loadAdminModel",
    tag: "Models",
    summary: "Load a model into memory",
    description:
      "An extension of Hearth. Answers when the model is in memory, where it stays for its keep-alive time. A vision model is loaded by " +
      "the first image only. Requires a management key for all teams.",
    body: memoryRequest,
    example: { model: "hearth-tiny-5m" },
    answers: { 200: { description: "The model.", schema: adminModelSchema } },
  },
  async handle({ ctx, manager, body }, app) {
    const model = findModel(app.models, parseFields(memoryRequest, body).model);
    const isLoaded = await whileClientWaits(ctx.req.socket, async (signal) => {
      await app.modelLoader.load(model, toActor(manager), signal);
      return true;
    });
    if (isLoaded !== null) ctx.body = presenter(app)(model);
  },
});

/** Unloads a model. */
export const unloadModel = accountRoute<AppContext>({
  method: "POST",
  path: "/admin/models/unload",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
    operation: "unloadAdminModel",
    tag: "Models",
    summary: "Unload a model from memory",
    description:
      "An extension of Hearth. A model in use stays until its last run has ended; the next request loads it again. Requires a management " +
      "key for all teams.",
    body: memoryRequest,
    example: { model: "hearth-tiny-5m" },
    answers: { 200: { description: "The model; it may be in memory still.", schema: adminModelSchema } },
  },
  async handle({ ctx, manager, body }, app) {
    const model = findModel(app.models, parseFields(memoryRequest, body).model);
    await app.modelLoader.unload(model, toActor(manager));
    ctx.body = presenter(app)(model);
  },
});
