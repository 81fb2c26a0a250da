/** POST /v1/responses/{id}/cancel: cancels a background response. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { HearthError } from "../../../core/errors.js";
import { isUnfinished } from "../../../inference/responses/stored-response.js";
import { responseSchema, type ResponseObject } from "../../../dialects/openai-responses/response-schema.js";
import type { HttpDeps } from "../../deps.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";
import { endWithoutRun } from "../../../jobs/responses/job-handler.js";

/** Cancels a background response; one that has ended stays as it is. */
export function cancelResponse({
  storedResponses: storedResponses,
  backgroundJobs: backgroundJobs,
}: Pick<HttpDeps, "storedResponses" | "backgroundJobs">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const stored = await storedResponses.find(params["response_id"] ?? "", principal.team.id);
    if (!stored.background) throw notInBackground();
    if (isUnfinished(stored))
      await backgroundJobs.cancel(stored.id, () => endWithoutRun(storedResponses, stored, null));
    const { body } = await storedResponses.find(stored.id, stored.teamId);
    ctx.body = JSON.parse(body) as ResponseObject;
  };
}

export const cancelResponseDocs: RouteDocs = {
  operation: "cancelResponse",
  tag: "Responses",
  summary: "Cancel a background response",
  description: "A response that has already ended does not change.",
  params: { response_id: "Id of a background response of the key's team." },
  answers: { 200: { description: "The response, with the output so far.", schema: responseSchema } },
  errors: ["invalid_value"],
};

function notInBackground(): HearthError {
  return new HearthError("invalid_value", "Only background responses can be cancelled.", {
    param: "response_id",
  });
}
