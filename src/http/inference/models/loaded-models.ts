/** GET /v1/hearth/ps, an extension: lists the loaded models that the key may use. */
import { z } from "zod";
import { authorise, isAllowed, modelNames } from "../../../accounts/principals/permissions.js";
import type { ModelInMemory } from "../../../core/metrics.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { apiKeyRoute } from "../../server/route.js";

const loadedModel = responseObject({
  id: z.string(),
  object: z.literal("model_in_memory"),
  bytes: countField("Memory used by the model."),
  device: z.string(),
  slots: countField("Generations that can run concurrently."),
  slots_held: countField("Generations that are running."),
  context_tokens: countField("Context size of one conversation, in tokens."),
  template_repairs: responseArray(z.string()).describe(
    "What the chat template of the model needs of an ordinary conversation: the names of repairs, in their order.",
  ),
  template_call: z
    .string()
    .nullable()
    .describe(
      "A tool call as the model writes it, with `NAME` and `key` in their places; null where none is read.",
    ),
  template_reasoning: responseArray(z.string()).describe(
    "The marks before and after the reasoning of the model; empty where no marks separate it.",
  ),
  loaded_at: z.iso.datetime(),
  until: z.iso
    .datetime()
    .nullable()
    .describe("When the model is unloaded if it stays unused; null while it is in use."),
}).meta({ id: "LoadedModel" });

export type WireLoadedModel = z.infer<typeof loadedModel>;

const loadedModelList = responseObject({ object: z.literal("list"), data: responseArray(loadedModel) }).meta({
  id: "LoadedModelList",
});

/** Lists loaded models in order of id. */
export const listLoadedModels = apiKeyRoute({
  method: "GET",
  path: "/v1/hearth/ps",
  acl: "models",
  docs: {
    operation: "listModelsInMemory",
    tag: "Models",
    summary: "List the loaded models",
    description: "An extension of Hearth: the loaded models that the key may use.",
    answers: { 200: { description: "The models, in order of id.", schema: loadedModelList } },
  },
  handle({ ctx, principal, route }, app) {
    authorise(principal, { endpoint: route.acl, model: null });
    const isVisible = ({ id }: ModelInMemory): boolean =>
      isAllowed(principal, { endpoint: null, model: modelNames(id, app.models.find(id)) });
    const data = app
      .load()
      .models.filter(isVisible)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(present);
    ctx.body = { object: "list", data };
  },
});

function present(model: ModelInMemory): z.infer<typeof loadedModel> {
  return {
    id: model.id,
    object: "model_in_memory",
    bytes: model.bytes,
    device: model.device,
    slots: model.slots,
    slots_held: model.slotsHeld,
    context_tokens: model.contextTokens,
    template_repairs: [...(model.templateRepairs ?? [])],
    template_call: model.templateCall ?? null,
    template_reasoning: [...(model.templateReasoning ?? [])],
    loaded_at: new Date(model.loadedAt).toISOString(),
    until: model.until === null ? null : new Date(model.until).toISOString(),
  };
}
