/** POST /v1/responses/{id}/cancel: cancels a background response. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { HearthError } from "../../../core/errors.js";
import { isUnfinished } from "../../../inference/responses/stored-response.js";
import { type ResponseObject, responseSchema } from "../../../dialects/openai-responses/response-schema.js";
import { apiKeyRoute } from "../../server/route.js";
import { endWithoutRun } from "../../../jobs/background-responses.js";

/** Cancels a background response; one that has ended stays as it is. */
export const cancelResponse = apiKeyRoute({
  method: "POST",
  path: "/v1/responses/:response_id/cancel",
  acl: "chat",
  takesBody: false,
  docs: {
    operation: "cancelResponse",
    tag: "Responses",
    summary: "Cancel a background response",
    description: "A response that has already ended does not change.",
    params: { response_id: "Id of a background response of the key's team." },
    answers: { 200: { description: "The response, with the output so far.", schema: responseSchema } },
    errors: ["invalid_value"],
  },
  async handle(
    { ctx, principal, params, route },
    { storedResponses: storedResponses, backgroundJobs: backgroundJobs },
  ) {
    authorise(principal, { endpoint: route.acl, model: null });
    const stored = await storedResponses.find(params["response_id"] ?? "", principal.team.id);
    if (!stored.background) throw notInBackground();
    if (isUnfinished(stored))
      await backgroundJobs.cancel(stored.id, () => endWithoutRun(storedResponses, stored, null));
    const { body } = await storedResponses.find(stored.id, stored.teamId);
    ctx.body = JSON.parse(body) as ResponseObject;
  },
});

function notInBackground(): HearthError {
  return new HearthError("invalid_value", "Only background responses can be cancelled.", {
    param: "response_id",
  });
}
