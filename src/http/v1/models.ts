/** GET /v1/models and /v1/models/{id}: what the caller's key may use, in a shape that OpenAI and Anthropic clients read. */
import { authorise } from "../../accounts/permissions.js";
import type { Model } from "../../core/model.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";
import { visibleModel, visibleModels } from "../visible-models.js";

/** Lists the models in order of id. */
export function listModels(deps: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const data = visibleModels(deps.models, principal).map(present);
    ctx.body = {
      object: "list",
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    };
  };
}

/** Finds one model by id or alias; one that the key may not use is answered like one that is not there. */
export function findModel(deps: Pick<HttpDeps, "models">): (call: Call) => void {
  return ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = present(visibleModel(deps.models, principal, params["id"] ?? ""));
  };
}

function present({ manifest }: Model) {
  return {
    id: manifest.id,
    object: "model",
    created: manifest.created,
    owned_by: "hearth",
    type: "model",
    display_name: manifest.name,
    created_at: new Date(manifest.created * 1000).toISOString(),
  };
}
