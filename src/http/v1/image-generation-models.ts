/**
 * GET /v1/image-generation-models and /v1/image-generation-models/{id}: this server has no model that makes images, so the
 * list is empty and no id is found.
 */
import { authorise } from "../../accounts/permissions.js";
import { modelNotFound } from "../../core/errors.js";
import type { Call } from "../route.js";

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
