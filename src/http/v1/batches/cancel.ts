/** POST /v1/batches/{batch_id}/cancel: ends a batch early. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { batchSchema, presentBatch } from "../../batches/present-openai.js";
import type { HttpDeps } from "../../deps.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { batchParams } from "../batches.js";

/** Cancels a batch: requests in progress are answered, the others are not. */
export function cancelBatch({ batches }: Pick<HttpDeps, "batches">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const batch = await batches.find(params["batch_id"] ?? "", principal.team.id, "openai");
    ctx.body = presentBatch(await batches.cancel(batch));
  };
}

export const cancelBatchDocs: RouteDocs = {
  operation: "cancelBatch",
  tag: "Batches",
  summary: "Cancel a batch",
  params: batchParams,
  errors: ["conflict"],
  answers: { 200: { description: "The batch is being cancelled.", schema: batchSchema } },
};
