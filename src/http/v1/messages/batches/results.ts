/** GET /v1/messages/batches/{message_batch_id}/results: the results of a message batch that has ended. */
import { authorise } from "../../../../accounts/keys/permissions.js";
import { HearthError } from "../../../../core/errors.js";
import type { HttpDeps } from "../../../deps.js";
import { sendContent } from "../../../files/send-content.js";
import type { Call } from "../../../route.js";
import type { RouteDocs } from "../../../route-docs.js";
import { messageBatchParams } from "../batches.js";

/** Sends the results, one as JSON on each line, in the order of the requests. */
export function getMessageBatchResults({
  batches,
  files,
}: Pick<HttpDeps, "batches" | "files">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const teamId = principal.team.id;
    const batch = await batches.find(params["message_batch_id"] ?? "", teamId, "anthropic");
    if (batch.endTime === null)
      throw new HearthError("conflict", `The batch '${batch.id}' has no results yet: it has not ended.`);
    if (batch.outputFileId === null)
      throw new HearthError("not_found", `The batch '${batch.id}' has no results.`);
    await sendContent(ctx, files, await files.find(batch.outputFileId, teamId), "application/x-jsonl");
  };
}

export const getMessageBatchResultsDocs: RouteDocs = {
  operation: "getMessageBatchResults",
  tag: "Batches",
  summary: "Get the results of a message batch",
  description: "One result as JSON on each line, in the order of the requests.",
  params: messageBatchParams,
  errors: ["conflict"],
  answers: { 200: { description: "The results.", contentType: "application/x-jsonl" } },
};
