/** GET /v1/embedding-models and /v1/embedding-models/{id}: the embedding models that the key may use, with prices. */
import { z } from "zod";
import type { Model } from "../../../core/model.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { apiKeyRoute } from "../../server/route.js";
import { getModelOfKind, listModelsOfKind, presentPricedModel, pricedModelFields } from "./priced-models.js";

const price = countField("Cents of a US dollar for 100 million tokens.");

const embeddingModel = responseObject({
  id: z.string(),
  fingerprint: z.string().describe("Changes with the weights and the engine, and then so do the vectors."),
  max_prompt_length: countField("Extension: maximum tokens of one input."),
  ...pricedModelFields,
  output_modalities: responseArray(z.literal("embedding")),
  prompt_text_token_price: price,
  prompt_image_token_price: countField("Always 0."),
  aliases: responseArray(z.string()).describe("Other names of the model."),
}).meta({ id: "EmbeddingModel", description: "An embedding model with its price." });

const embeddingModelList = responseObject({ models: responseArray(embeddingModel) }).meta({
  id: "EmbeddingModelList",
});

/** Lists the embedding models in order of id. */
export const listEmbeddingModels = apiKeyRoute({
  method: "GET",
  path: "/v1/embedding-models",
  acl: "models",
  docs: {
    operation: "listEmbeddingModels",
    tag: "Models",
    summary: "List the embedding models with prices",
    answers: { 200: { description: "The models, in order of id.", schema: embeddingModelList } },
  },
  handle: listModelsOfKind("embedding", present),
});

/** Returns one embedding model by id or alias. */
export const getEmbeddingModel = apiKeyRoute({
  method: "GET",
  path: "/v1/embedding-models/*id",
  acl: "models",
  docs: {
    operation: "getEmbeddingModel",
    tag: "Models",
    summary: "Get an embedding model with its price",
    params: { id: "Id or alias of a model." },
    answers: { 200: { description: "The model.", schema: embeddingModel } },
  },
  handle: getModelOfKind("embedding", present),
});

/** Presents a model. Cents for 100 million tokens are the same number as ticks for one token. */
function present(model: Model): z.infer<typeof embeddingModel> {
  const { manifest, fingerprint } = model;
  return {
    id: manifest.id,
    fingerprint,
    max_prompt_length: manifest.contextTokens,
    ...presentPricedModel(model),
    output_modalities: ["embedding"],
    prompt_text_token_price: manifest.prices.promptTextTokenTicks,
    prompt_image_token_price: 0,
    aliases: manifest.aliases,
  };
}
