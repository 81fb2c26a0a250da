/** GET /v1/language-models and /v1/language-models/{id}: what the caller's key may use, with prices and modalities. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import type { Model } from "../../core/model.js";
import { count, shape, shapes, unixSeconds } from "../../dialects/shape.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { visibleModel, visibleModels } from "../models/visible-models.js";

const modalities = shapes(z.enum(["text", "image"]));
const price = count("Cents of a US dollar for 100 million tokens.");

const languageModel = shape({
  id: z.string(),
  fingerprint: z.string().describe("What answers of it carry as `system_fingerprint`."),
  created: unixSeconds,
  object: z.literal("model"),
  owned_by: z.literal("hearth"),
  version: z.string(),
  input_modalities: modalities,
  output_modalities: modalities,
  prompt_text_token_price: price,
  cached_prompt_text_token_price: price,
  prompt_image_token_price: price,
  completion_text_token_price: price,
  search_price: count("Always 0 here."),
  aliases: shapes(z.string()).describe("Other names that it answers to."),
}).meta({ id: "LanguageModel", description: "A model with its prices and modalities." });

const languageModelList = shape({ models: shapes(languageModel) }).meta({ id: "LanguageModelList" });

/** Lists the models in order of id. */
export function listLanguageModels({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = { models: visibleModels(models, principal, "chat").map(present) };
  };
}

/** Finds one model by id or alias. */
export function findLanguageModel({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(models, principal, params["id"] ?? "", "chat"));
  };
}

export const languageModelListDocs: RouteDocs = {
  operation: "listLanguageModels",
  tag: "Models",
  summary: "List the language models, with prices",
  answers: { 200: { description: "The models, in order of id.", schema: languageModelList } },
};

export const languageModelDocs: RouteDocs = {
  operation: "getLanguageModel",
  tag: "Models",
  summary: "Find a language model, with prices",
  params: { id: "Id or alias of a model." },
  answers: { 200: { description: "The model.", schema: languageModel } },
};

/** Prices are cents of a dollar for 100 million tokens, which is the same number as ticks for one. */
function present({ manifest, fingerprint }: Model): z.infer<typeof languageModel> {
  const { prices } = manifest;
  return {
    id: manifest.id,
    fingerprint,
    created: manifest.created,
    object: "model",
    owned_by: "hearth",
    version: manifest.version,
    input_modalities: manifest.inputModalities,
    output_modalities: manifest.outputModalities,
    prompt_text_token_price: prices.promptTextTokenTicks,
    cached_prompt_text_token_price: prices.cachedPromptTextTokenTicks,
    prompt_image_token_price: manifest.inputModalities.includes("image") ? prices.promptTextTokenTicks : 0,
    completion_text_token_price: prices.completionTextTokenTicks,
    search_price: 0,
    aliases: manifest.aliases,
  };
}
