/** GET /v1/chat/completions/{id}/messages: the messages of the request of a stored chat completion. */
import { authorise } from "../../../../accounts/keys/permissions.js";
import { storedMessagesPage } from "../../../../dialects/openai-chat/stored/encode.js";
import { parseMessagesQuery } from "../../../../dialects/openai-chat/stored/parse.js";
import { storedMessages } from "../../../../dialects/openai-chat/stored/response-schema.js";
import { messagesQuerySchema } from "../../../../dialects/openai-chat/stored/schema.js";
import type { HttpDeps } from "../../../deps.js";
import type { RouteDocs } from "../../../route-docs.js";
import type { Call } from "../../../route.js";

/** Lists a page of messages. */
export function listStoredMessages({
  storedCompletions,
}: Pick<HttpDeps, "storedCompletions">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    const query = parseMessagesQuery(ctx.query);
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const id = params["completion_id"] ?? "";
    ctx.body = storedMessagesPage(id, await storedCompletions.messages(id, principal.team.id), query);
  };
}

export const listStoredMessagesDocs: RouteDocs = {
  operation: "listStoredMessages",
  tag: "Chat",
  summary: "List the messages of a stored chat completion",
  params: { completion_id: "Id of a stored completion of the key's team." },
  query: messagesQuerySchema,
  answers: { 200: { description: "One page of messages.", schema: storedMessages } },
};
