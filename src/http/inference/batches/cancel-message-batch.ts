/** POST /v1/messages/batches/{message_batch_id}/cancel: ends a message batch early. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { messageBatchSchema, readOrigin, presentMessageBatch } from "./present-anthropic.js";
import { apiKeyRoute } from "../../server/route.js";
import { messageBatchParams } from "./message-batches.js";

/** Cancels a message batch: requests in progress are answered, the others are not. */
export const cancelMessageBatch = apiKeyRoute({
  method: "POST",
  path: "/v1/messages/batches/:message_batch_id/cancel",
  acl: "batches",
  errors: "anthropic",
  takesBody: false,
  docs: {
    operation: "cancelMessageBatch",
    tag: "Batches",
    summary: "Cancel a message batch",
    params: messageBatchParams,
    errors: ["conflict"],
    answers: { 200: { description: "The batch is being canceled.", schema: messageBatchSchema } },
  },
  async handle({ ctx, principal, params, route }, { batches }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const batch = await batches.find(params["message_batch_id"] ?? "", principal.team.id, "anthropic");
    ctx.body = presentMessageBatch(await batches.cancel(batch), readOrigin(ctx));
  },
});
