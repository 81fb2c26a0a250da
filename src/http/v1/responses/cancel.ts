/** POST /v1/responses/{id}/cancel: ends a background response where it is. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { HearthError } from "../../../core/errors.js";
import { isUnended } from "../../../inference/responses/stored-response.js";
import { responseSchema, type ResponseObject } from "../../../dialects/openai-responses/wire.js";
import type { HttpDeps } from "../../deps.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";
import { endUnbegun } from "../../../jobs/responses/job-handler.js";

/** The handler over its dependencies. */
export function cancelResponse({
  memory,
  background,
}: Pick<HttpDeps, "memory" | "background">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const stored = await memory.find(params["response_id"] ?? "", principal.team.id);
    if (!stored.background) throw notInBackground();
    if (isUnended(stored)) await background.cancel(stored.id, () => endUnbegun(memory, stored, null));
    const { body } = await memory.find(stored.id, stored.teamId);
    ctx.body = JSON.parse(body) as ResponseObject;
  };
}

export const cancelledResponseDocs: RouteDocs = {
  operation: "cancelResponse",
  tag: "Responses",
  summary: "End a background response where it is",
  description: "One that has ended already stays as it is.",
  params: { response_id: "Id of a background response of the key's team." },
  answers: { 200: { description: "The response, with what there is of it.", schema: responseSchema } },
  errors: ["invalid_value"],
};

function notInBackground(): HearthError {
  return new HearthError("invalid_value", "Only background responses can be cancelled.", {
    param: "response_id",
  });
}
