/** GET /api/ps, as Ollama has it: the models in memory that the key may use. */
import { z } from "zod";
import { authorise, isAllowed, modelNames } from "../../accounts/principals/permissions.js";
import type { ModelInMemory } from "../../core/metrics.js";
import type { Model } from "../../core/model.js";
import { countField, responseArray, responseObject } from "../../dialects/response-fields.js";
import { createCardReader } from "../../models/library/cards.js";
import type { ModelCard } from "../../models/library/details.js";
import { detailsSchema, readDigest, presentDetails } from "./model.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const runningModel = responseObject({
  name: z.string(),
  model: z.string(),
  size: countField("Bytes of memory."),
  digest: z.string().describe("SHA-256 of the weights; the fingerprint where that is not known."),
  details: detailsSchema,
  expires_at: z.iso
    .datetime()
    .describe("When it is unloaded if it stays unused; the year 9999 while it is in use."),
  size_vram: countField("Bytes of a GPU's memory; all or none are counted."),
  context_length: countField("Tokens of one conversation."),
}).meta({ id: "OllamaRunningModel" });

const runningModels = responseObject({ models: responseArray(runningModel) }).meta({
  id: "OllamaRunningModelList",
});

/** The largest time that every client's dates have. */
const never = "9999-12-31T23:59:59.000Z";

/** Lists the models in memory in order of id. */
export const listOllamaRunning = apiKeyRoute({
  method: "GET",
  path: "/api/ps",
  acl: "models",
  ...ollamaClients,
  docs: {
    operation: "listOllamaRunning",
    tag: "Ollama",
    summary: "List the models in memory",
    answers: { 200: { description: "The models, in order of id.", schema: runningModels } },
  },
  async handle({ ctx, principal, route }, { load, models }) {
    const readCard = createCardReader();

    authorise(principal, { endpoint: route.acl, model: null });
    const listed: z.infer<typeof runningModel>[] = [];
    for (const resident of load().models.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const model = models.find(resident.id);
      const need = { endpoint: null, model: modelNames(resident.id, model) };
      if (model !== null && isAllowed(principal, need))
        listed.push(present(resident, model, await readCard(model)));
    }
    const answer: z.infer<typeof runningModels> = { models: listed };
    ctx.body = answer;
  },
});

function present(
  { id, bytes, device, isRemote = false, until, contextTokens }: ModelInMemory,
  model: Model,
  card: ModelCard,
): z.infer<typeof runningModel> {
  return {
    name: id,
    model: id,
    size: bytes,
    digest: readDigest(model, card),
    details: presentDetails(model, card),
    expires_at: until === null ? never : new Date(until).toISOString(),
    size_vram: device === "cpu" || isRemote ? 0 : bytes,
    context_length: contextTokens,
  };
}
