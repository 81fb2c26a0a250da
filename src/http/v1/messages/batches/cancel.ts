/** POST /v1/messages/batches/{message_batch_id}/cancel: ends a message batch early. */
import { authorise } from "../../../../accounts/keys/permissions.js";
import { messageBatchSchema, originOf, presentMessageBatch } from "../../../batches/present-anthropic.js";
import type { HttpDeps } from "../../../deps.js";
import type { Call } from "../../../route.js";
import type { RouteDocs } from "../../../route-docs.js";
import { messageBatchParams } from "../batches.js";

/** Cancels a message batch: requests in progress are answered, the others are not. */
export function cancelMessageBatch({ batches }: Pick<HttpDeps, "batches">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const batch = await batches.find(params["message_batch_id"] ?? "", principal.team.id, "anthropic");
    ctx.body = presentMessageBatch(await batches.cancel(batch), originOf(ctx));
  };
}

export const cancelMessageBatchDocs: RouteDocs = {
  operation: "cancelMessageBatch",
  tag: "Batches",
  summary: "Cancel a message batch",
  params: messageBatchParams,
  errors: ["conflict"],
  answers: { 200: { description: "The batch is being canceled.", schema: messageBatchSchema } },
};
