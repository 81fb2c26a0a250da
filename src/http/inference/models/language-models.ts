/** GET /v1/language-models and /v1/language-models/{id}: the chat models that the key may use, with prices and modalities. */
import { z } from "zod";
import type { Model } from "../../../core/model.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { apiKeyRoute } from "../../server/route.js";
import { getModelOfKind, listModelsOfKind, presentPricedModel, pricedModelFields } from "./priced-models.js";

const price = countField("Cents of a US dollar for 100 million tokens.");

const languageModel = responseObject({
  id: z.string(),
  fingerprint: z.string().describe("The `system_fingerprint` of the model's answers."),
  ...pricedModelFields,
  prompt_text_token_price: price,
  cached_prompt_text_token_price: price,
  prompt_image_token_price: price,
  completion_text_token_price: price,
  search_price: countField("Always 0."),
  aliases: responseArray(z.string()).describe("Other names of the model."),
}).meta({ id: "LanguageModel", description: "A language model with its prices and modalities." });

const languageModelList = responseObject({ models: responseArray(languageModel) }).meta({
  id: "LanguageModelList",
});

export type WireLanguageModels = z.infer<typeof languageModelList>;

/** Lists the language models in order of id. */
export const listLanguageModels = apiKeyRoute({
  method: "GET",
  path: "/v1/language-models",
  acl: "models",
  docs: {
    operation: "listLanguageModels",
    tag: "Models",
    summary: "List the language models with prices",
    answers: { 200: { description: "The models, in order of id.", schema: languageModelList } },
  },
  handle: listModelsOfKind("chat", present),
});

/** Returns one language model by id or alias. */
export const getLanguageModel = apiKeyRoute({
  method: "GET",
  path: "/v1/language-models/*id",
  acl: "models",
  docs: {
    operation: "getLanguageModel",
    tag: "Models",
    summary: "Get a language model with prices",
    params: { id: "Id or alias of a model." },
    answers: { 200: { description: "The model.", schema: languageModel } },
  },
  handle: getModelOfKind("chat", present),
});

/** Presents a model. Cents for 100 million tokens are the same number as ticks for one token. */
function present(model: Model): z.infer<typeof languageModel> {
  const { manifest, fingerprint } = model;
  const { prices } = manifest;
  return {
    id: manifest.id,
    fingerprint,
    ...presentPricedModel(model),
    prompt_text_token_price: prices.promptTextTokenTicks,
    cached_prompt_text_token_price: prices.cachedPromptTextTokenTicks,
    prompt_image_token_price: manifest.inputModalities.includes("image") ? prices.promptTextTokenTicks : 0,
    completion_text_token_price: prices.completionTextTokenTicks,
    search_price: 0,
    aliases: manifest.aliases,
  };
}
