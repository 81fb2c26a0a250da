/** GET /api/tags, as Ollama has it: the models that the key may use. */
import { z } from "zod";
import { authorise } from "../../accounts/principals/permissions.js";
import type { Model } from "../../core/model.js";
import { countField, responseArray, responseObject } from "../../dialects/response-fields.js";
import { createCardReader } from "../../models/library/cards.js";
import type { ModelCard } from "../../models/library/details.js";
import { visibleModels } from "../../answers/visible-models.js";
import { capabilitiesField, detailsSchema, listCapabilities, readDigest, presentDetails } from "./model.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const listedModel = responseObject({
  name: z.string(),
  model: z.string(),
  modified_at: z.iso.datetime(),
  size: countField("Bytes of all files."),
  digest: z.string().describe("SHA-256 of the weights; the fingerprint where that is not known."),
  details: detailsSchema,
  capabilities: capabilitiesField,
}).meta({ id: "OllamaListedModel" });

const listedModels = responseObject({ models: responseArray(listedModel) }).meta({ id: "OllamaModelList" });

/** Lists the models, chat models first. */
export const listOllamaModels = apiKeyRoute({
  method: "GET",
  path: "/api/tags",
  acl: "models",
  ...ollamaClients,
  docs: {
    operation: "listOllamaModels",
    tag: "Ollama",
    summary: "List the models that the key may use",
    answers: { 200: { description: "The models.", schema: listedModels } },
  },
  async handle({ ctx, principal, route }, { models }) {
    const readCard = createCardReader();

    authorise(principal, { endpoint: route.acl, model: null });
    const listed: z.infer<typeof listedModel>[] = [];
    for (const model of visibleModels(models, principal)) listed.push(present(model, await readCard(model)));
    const answer: z.infer<typeof listedModels> = { models: listed };
    ctx.body = answer;
  },
});

function present(model: Model, card: ModelCard): z.infer<typeof listedModel> {
  const { id, created, bytes } = model.manifest;
  return {
    name: id,
    model: id,
    modified_at: new Date(created * 1000).toISOString(),
    size: bytes,
    digest: readDigest(model, card),
    details: presentDetails(model, card),
    capabilities: listCapabilities(model, false),
  };
}
