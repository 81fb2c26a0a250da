/** What /v1/language-models, /v1/embedding-models and /v1/image-generation-models have in common: shared fields, list and get. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import type { Model, ModelKind } from "../../../core/model.js";
import { responseArray, unixSecondsField } from "../../../dialects/response-fields.js";
import type { ApiKeyRoute } from "../../server/route.js";
import { visibleModel, visibleModels } from "../../../answers/visible-models.js";

type Handle = ApiKeyRoute["handle"];

const modalities = responseArray(z.enum(["text", "image", "audio"]));

/** Fields that every model with prices has. */
export const pricedModelFields = {
  created: unixSecondsField,
  object: z.literal("model"),
  owned_by: z.literal("hearth"),
  version: z.string(),
  input_modalities: modalities,
  output_modalities: modalities,
};

type PricedModel = { [Name in keyof typeof pricedModelFields]: z.infer<(typeof pricedModelFields)[Name]> };

/** Presents the fields that every model with prices has. */
export function presentPricedModel({ manifest }: Model): PricedModel {
  return {
    created: manifest.created,
    object: "model",
    owned_by: "hearth",
    version: manifest.version,
    input_modalities: manifest.inputModalities,
    output_modalities: manifest.outputModalities,
  };
}

/** Lists the models of a kind that the key may use, in order of id. */
export function listModelsOfKind(kind: ModelKind, present: (model: Model) => object): Handle {
  return ({ ctx, principal, route }, { models }) => {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = { models: visibleModels(models, principal, kind).map(present) };
  };
}

/** Returns one model of a kind by id or alias. */
export function getModelOfKind(kind: ModelKind, present: (model: Model) => object): Handle {
  return ({ ctx, principal, params, route }, { models }) => {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = present(visibleModel(models, principal, params["id"] ?? "", kind));
  };
}
