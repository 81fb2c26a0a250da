/** GET /v1/hearth/ps, an addition of Hearth's own: the models in memory now, of those that the caller's key may use. */
import { z } from "zod";
import { authorise, mayUseModel } from "../../../accounts/keys/permissions.js";
import type { ModelInMemory } from "../../../core/metrics.js";
import { count, shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const modelInMemory = shape({
  id: z.string(),
  object: z.literal("model_in_memory"),
  bytes: count("Memory that it takes."),
  device: z.string(),
  slots: count("Generations that it can run side by side."),
  slots_held: count("Generations that it runs now."),
  context_tokens: count("Tokens that one conversation may hold."),
  loaded_at: z.iso.datetime(),
  until: z.iso.datetime().nullable().describe("When it leaves if nobody uses it; null while somebody does."),
}).meta({ id: "ModelInMemory" });

const modelsInMemory = shape({ object: z.literal("list"), data: shapes(modelInMemory) }).meta({
  id: "ModelInMemoryList",
});

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

export const modelsInMemoryDocs: RouteDocs = {
  operation: "listModelsInMemory",
  tag: "Models",
  summary: "List the models in memory",
  description: "Hearth's own: of the models in memory now those that the key may use.",
  answers: { 200: { description: "The models, in order of id.", schema: modelsInMemory } },
};

function present(model: ModelInMemory): z.infer<typeof modelInMemory> {
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
