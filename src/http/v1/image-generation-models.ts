/** GET /v1/image-generation-models and /v1/image-generation-models/{id}: the models that draw, of those that the key may use. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import type { Model } from "../../core/model.js";
import { promptCharsMax } from "../../dialects/openai-images/schema.js";
import { count, shape, shapes, unixSeconds } from "../../dialects/shape.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { visibleModel, visibleModels } from "../models/visible-models.js";

const modalities = shapes(z.enum(["text", "image"]));

const imageModel = shape({
  id: z.string(),
  fingerprint: z.string(),
  max_prompt_length: count("Characters."),
  created: unixSeconds,
  object: z.literal("model"),
  owned_by: z.literal("hearth"),
  version: z.string(),
  input_modalities: modalities,
  output_modalities: modalities,
  image_price: count("Cents of a US dollar for one image, rounded up."),
  image_price_in_usd_ticks: count("Extension: the same exactly; 1 USD = 10^10 ticks."),
  aliases: shapes(z.string()).describe("Other names that it answers to."),
}).meta({ id: "ImageGenerationModel", description: "A model that draws, with its price." });

const imageModelList = shape({ models: shapes(imageModel) }).meta({ id: "ImageGenerationModelList" });

/** Lists them in order of id. */
export function listImageGenerationModels({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = { models: visibleModels(models, principal, "image").map(present) };
  };
}

/** Finds one by id or alias. */
export function findImageGenerationModel({ models }: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(models, principal, params["id"] ?? "", "image"));
  };
}

export const imageModelListDocs: RouteDocs = {
  operation: "listImageGenerationModels",
  tag: "Models",
  summary: "List the models that draw, with prices",
  answers: { 200: { description: "The models, in order of id.", schema: imageModelList } },
};

export const imageModelDocs: RouteDocs = {
  operation: "getImageGenerationModel",
  tag: "Models",
  summary: "Find a model that draws, with its price",
  params: { id: "Id or alias of a model." },
  answers: { 200: { description: "The model.", schema: imageModel } },
};

const ticksPerCent = 100_000_000;

function present({ manifest, fingerprint }: Model): z.infer<typeof imageModel> {
  const imageTicks = manifest.prices.imageTicks ?? 0;
  return {
    id: manifest.id,
    fingerprint,
    max_prompt_length: promptCharsMax,
    created: manifest.created,
    object: "model",
    owned_by: "hearth",
    version: manifest.version,
    input_modalities: manifest.inputModalities,
    output_modalities: manifest.outputModalities,
    image_price: Math.ceil(imageTicks / ticksPerCent),
    image_price_in_usd_ticks: imageTicks,
    aliases: manifest.aliases,
  };
}
