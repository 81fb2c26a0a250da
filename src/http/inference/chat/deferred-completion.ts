/** GET /v1/chat/deferred-completion/{request_id}: returns a deferred completion and deletes it. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { HearthError } from "../../../core/errors.js";
import type { Ticks } from "../../../core/money.js";
import { invalidValue } from "../../../dialects/field-error.js";
import {
  chatCompletion,
  type ChatCompletion,
  pendingCompletion,
} from "../../../dialects/openai-chat/response-schema.js";
import { costHeader } from "../../server/reply/run-headers.js";
import { apiKeyRoute } from "../../server/route.js";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns a finished deferred completion once; returns 202 while it is pending. */
export const getDeferredCompletion = apiKeyRoute({
  method: "GET",
  path: "/v1/chat/deferred-completion/:request_id",
  acl: "chat",
  docs: {
    operation: "getDeferredCompletion",
    tag: "Chat",
    summary: "Get a deferred completion, once",
    description: "A completion can be fetched once, within 24 hours.",
    params: { request_id: "The `request_id` from the request with `deferred: true`." },
    errors: ["no_credits", "budget_exceeded"],
    answers: {
      200: { description: "The completion; it is deleted afterwards.", schema: chatCompletion },
      202: { description: "The completion is not finished.", schema: pendingCompletion },
    },
  },
  async handle({ ctx, principal, params, route }, { deferredCompletions: deferrals }) {
    if (ctx.method === "HEAD") throw headNotAllowed();
    const id = params["request_id"] ?? "";
    if (!uuid.test(id)) throw invalidValue("request_id", "must be the request_id of a deferred completion");
    authorise(principal, { endpoint: route.acl, model: null });
    const answer = await deferrals.take(id.toLowerCase(), principal.team.id);
    if (answer !== null) ctx.set(costHeader(readCost(answer)));
    ctx.status = answer === null ? 202 : 200;
    ctx.type = "application/json";
    ctx.body = answer ?? JSON.stringify({ request_id: id, status: "pending" });
  },
});

/** Returns the cost that a stored completion reports. */
function readCost(answer: string): Ticks {
  return (JSON.parse(answer) as ChatCompletion).usage.cost_in_usd_ticks;
}

/** The router passes HEAD to handlers of GET; here HEAD would delete the completion without returning it. */
function headNotAllowed(): HearthError {
  return new HearthError(
    "method_not_allowed",
    "This path does not accept HEAD requests: a completion is returned only once.",
    {
      allow: ["GET"],
    },
  );
}
