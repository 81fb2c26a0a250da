/** GET /v1/messages/batches/{message_batch_id}/results: the results of a message batch that has ended. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { HearthError } from "../../../core/errors.js";
import { sendContent } from "../../server/reply/send-content.js";
import { apiKeyRoute } from "../../server/route.js";
import { messageBatchParams } from "./message-batches.js";

/** Sends the results, one as JSON on each line, in the order of the requests. */
export const getMessageBatchResults = apiKeyRoute({
  method: "GET",
  path: "/v1/messages/batches/:message_batch_id/results",
  acl: "batches",
  errors: "anthropic",
  docs: {
    operation: "getMessageBatchResults",
    tag: "Batches",
    summary: "Get the results of a message batch",
    description: "One result as JSON on each line, in the order of the requests.",
    params: messageBatchParams,
    errors: ["conflict"],
    answers: { 200: { description: "The results.", contentType: "application/x-jsonl" } },
  },
  async handle({ ctx, principal, params, route }, { batches, files }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const teamId = principal.team.id;
    const batch = await batches.find(params["message_batch_id"] ?? "", teamId, "anthropic");
    if (batch.endTime === null)
      throw new HearthError("conflict", `The batch '${batch.id}' has no results yet: it has not ended.`);
    if (batch.outputFileId === null)
      throw new HearthError("not_found", `The batch '${batch.id}' has no results.`);
    await sendContent(ctx, files, await files.find(batch.outputFileId, teamId), "application/x-jsonl");
  },
});
