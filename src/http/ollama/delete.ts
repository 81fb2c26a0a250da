/** DELETE /api/delete, as Ollama has it: deletes a model that was pulled. */
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import { modelNotFound } from "../../core/errors.js";
import { validFields } from "../../dialects/field-error.js";
import { responseObject } from "../../dialects/response-fields.js";
import { namedFields } from "./model.js";
import { knownName, requireName } from "./names.js";
import { managementRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const deleteRequest = z.object(namedFields).meta({ id: "OllamaDeleteRequest" });

const deleted = responseObject({ status: z.literal("success") }).meta({ id: "OllamaDeleted" });

/** Deletes a model. */
export const deleteOllamaModel = managementRoute({
  method: "DELETE",
  path: "/api/delete",
  acl: "ManageModels",
  forAllTeams: true,
  takesBody: true,
  ...ollamaClients,
  docs: {
    operation: "deleteOllamaModel",
    tag: "Ollama",
    summary: "Delete a model that was pulled",
    description:
      "Models that are part of Hearth, that were put into the folder by hand, or that others are based on, are refused. Requires a " +
      "management key for all teams.",
    body: deleteRequest,
    example: { model: "qwen3:4b" },
    errors: ["conflict"],
    answers: { 200: { description: "It is deleted.", schema: deleted } },
  },
  async handle({ ctx, manager, body }, { models, modelAdmin }) {
    const name = requireName(validFields(deleteRequest, body));
    const model = models.find(knownName(models, name));
    if (model === null) throw modelNotFound(name);
    await modelAdmin.removePulled(model, toActor(manager));
    const answer: z.infer<typeof deleted> = { status: "success" };
    ctx.body = answer;
  },
});
