/** GET /v1/image-generation-models and /v1/image-generation-models/{id}: the image models that the key may use, with prices. */
import { z } from "zod";
import type { Model } from "../../../core/model.js";
import { promptCharsMax } from "../../../dialects/openai-images/schema.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { apiKeyRoute } from "../../server/route.js";
import { getModelOfKind, listModelsOfKind, presentPricedModel, pricedModelFields } from "./priced-models.js";

const imageModel = responseObject({
  id: z.string(),
  fingerprint: z.string(),
  max_prompt_length: countField("Characters."),
  ...pricedModelFields,
  image_price: countField("Cents of a US dollar for one image, rounded up."),
  image_price_in_usd_ticks: countField("Extension: the exact price of one image; 1 USD = 10^10 ticks."),
  aliases: responseArray(z.string()).describe("Other names of the model."),
}).meta({ id: "ImageGenerationModel", description: "An image generation model with its price." });

const imageModelList = responseObject({ models: responseArray(imageModel) }).meta({
  id: "ImageGenerationModelList",
});

export type WireImageModels = z.infer<typeof imageModelList>;

/** Lists the image generation models in order of id. */
export const listImageGenerationModels = apiKeyRoute({
  method: "GET",
  path: "/v1/image-generation-models",
  acl: "models",
  docs: {
    operation: "listImageGenerationModels",
    tag: "Models",
    summary: "List the image generation models with prices",
    answers: { 200: { description: "The models, in order of id.", schema: imageModelList } },
  },
  handle: listModelsOfKind("image", present),
});

/** Returns one image generation model by id or alias. */
export const getImageGenerationModel = apiKeyRoute({
  method: "GET",
  path: "/v1/image-generation-models/*id",
  acl: "models",
  docs: {
    operation: "getImageGenerationModel",
    tag: "Models",
    summary: "Get an image generation model with its price",
    params: { id: "Id or alias of a model." },
    answers: { 200: { description: "The model.", schema: imageModel } },
  },
  handle: getModelOfKind("image", present),
});

const ticksPerCent = 100_000_000;

function present(model: Model): z.infer<typeof imageModel> {
  const { manifest, fingerprint } = model;
  const imageTicks = manifest.prices.imageTicks ?? 0;
  return {
    id: manifest.id,
    fingerprint,
    max_prompt_length: promptCharsMax,
    ...presentPricedModel(model),
    image_price: Math.ceil(imageTicks / ticksPerCent),
    image_price_in_usd_ticks: imageTicks,
    aliases: manifest.aliases,
  };
}
