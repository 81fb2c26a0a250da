/** GET /v1/chat/deferred-completion/{request_id}: what came of a completion that was put off. It is told once. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { HearthError } from "../../../core/errors.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { chatCompletion, pendingCompletion } from "../../../dialects/openai-chat/wire.js";
import type { HttpDeps } from "../../deps.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The handler over its dependencies. */
export function takeDeferredCompletion({
  deferrals,
}: Pick<HttpDeps, "deferrals">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    if (ctx.method === "HEAD") throw notByHead();
    const id = params["request_id"] ?? "";
    if (!uuid.test(id)) throw invalidValue("request_id", "must be the request_id of a deferred completion");
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const answer = await deferrals.take(id.toLowerCase(), principal.team.id);
    ctx.status = answer === null ? 202 : 200;
    ctx.type = "application/json";
    ctx.body = answer ?? JSON.stringify({ request_id: id, status: "pending" });
  };
}

export const deferredCompletionDocs: RouteDocs = {
  operation: "getDeferredCompletion",
  tag: "Chat",
  summary: "Fetch a deferred answer, once",
  description: "An answer can be fetched once, within 24 hours.",
  params: { request_id: "What the request with `deferred: true` was answered with." },
  errors: ["no_credits"],
  answers: {
    200: { description: "The answer, which is gone from here on.", schema: chatCompletion },
    202: { description: "It is not there yet.", schema: pendingCompletion },
  },
};

/** The router hands HEAD to whatever takes GET; here it would take the answer away and not bring it. */
function notByHead(): HearthError {
  return new HearthError(
    "method_not_allowed",
    "This path does not take HEAD requests: an answer is told once.",
    {
      allow: ["GET"],
    },
  );
}
