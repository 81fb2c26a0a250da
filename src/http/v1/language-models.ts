/** GET /v1/language-models and /v1/language-models/{id}: what the caller's key may use, with prices and modalities. */
import { authorise } from "../../accounts/permissions.js";
import type { Model } from "../../core/model.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import { visibleModel, visibleModels } from "../visible-models.js";

/** Lists the models in order of id. */
export function listLanguageModels({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = { models: visibleModels(models, principal).map(present) };
  };
}

/** Finds one model by id or alias. */
export function findLanguageModel({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(models, principal, params["id"] ?? ""));
  };
}

/** Prices are cents of a dollar for 100 million tokens, which is the same number as ticks for one. */
function present({ manifest, fingerprint }: Model) {
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
    prompt_image_token_price: 0,
    completion_text_token_price: prices.completionTextTokenTicks,
    search_price: 0,
    aliases: manifest.aliases,
  };
}
