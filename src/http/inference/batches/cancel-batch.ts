/** POST /v1/batches/{batch_id}/cancel: ends a batch early. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { batchSchema, presentBatch } from "./present-openai.js";
import { apiKeyRoute } from "../../server/route.js";
import { batchParams } from "./batches.js";

/** Cancels a batch: requests in progress are answered, the others are not. */
export const cancelBatch = apiKeyRoute({
  method: "POST",
  path: "/v1/batches/:batch_id/cancel",
  acl: "batches",
  takesBody: false,
  docs: {
    operation: "cancelBatch",
    tag: "Batches",
    summary: "Cancel a batch",
    params: batchParams,
    errors: ["conflict"],
    answers: { 200: { description: "The batch is being cancelled.", schema: batchSchema } },
  },
  async handle({ ctx, principal, params, route }, { batches }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const batch = await batches.find(params["batch_id"] ?? "", principal.team.id, "openai");
    ctx.body = presentBatch(await batches.cancel(batch));
  },
});
