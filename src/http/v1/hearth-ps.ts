/** GET /v1/hearth/ps, an addition of Hearth's own: the models in memory now, of those that the caller's key may use. */
import { authorise, mayUseModel } from "../../accounts/permissions.js";
import type { ModelInMemory } from "../../core/metrics.js";
import type { HttpDeps } from "../deps.js";
import type { Call } from "../route.js";

/** Lists them in order of id. */
export function listModelsInMemory(deps: Pick<HttpDeps, "load">): (call: Call) => void {
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const data = deps
      .load()
      .models.filter(({ id }) => mayUseModel(principal, id))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(present);
    ctx.body = { object: "list", data };
  };
}

function present(model: ModelInMemory) {
  return {
    id: model.id,
    object: "model_in_memory",
    bytes: model.bytes,
    device: model.device,
    slots: model.slots,
    slots_held: model.slotsHeld,
    context_tokens: model.contextTokens,
    loaded_at: new Date(model.loadedAt).toISOString(),
    until: model.until === null ? null : new Date(model.until).toISOString(),
  };
}
