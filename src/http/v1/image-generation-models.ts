/**
 * GET /v1/image-generation-models and /v1/image-generation-models/{id}: this server has no model that makes images, so the
 * list is empty and no id is found.
 */
import { z } from "zod";
import { authorise } from "../../accounts/permissions.js";
import { modelNotFound } from "../../core/errors.js";
import { shape } from "../../dialects/shape.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

const imageModelList = shape({ models: z.array(z.never()).max(0).readonly() }).meta({
  id: "ImageGenerationModelList",
  description: "Empty: no model of this server makes images.",
});

/** Lists none. */
export function listImageGenerationModels({ ctx, principal, route }: Call): void {
  authorise(principal, { endpoint: route.endpointAcl, model: null });
  ctx.body = { models: [] };
}

/** Finds none. */
export function findImageGenerationModel({ principal, params, route }: Call): void {
  authorise(principal, { endpoint: route.endpointAcl, model: null });
  throw modelNotFound(params["id"] ?? "");
}

export const imageModelListDocs: RouteDocs = {
  operation: "listImageGenerationModels",
  tag: "Models",
  summary: "List the models that make images",
  answers: { 200: { description: "None.", schema: imageModelList } },
};

export const imageModelDocs: RouteDocs = {
  operation: "getImageGenerationModel",
  tag: "Models",
  summary: "Find a model that makes images",
  params: { id: "Id or alias of a model." },
  answers: {},
};
