/** GET /v1/chat/completions/{id}/messages: the messages of the request of a stored chat completion. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { storedMessagesPage } from "../../../dialects/openai-chat/stored/encode.js";
import { parseMessagesQuery } from "../../../dialects/openai-chat/stored/parse.js";
import { storedMessages } from "../../../dialects/openai-chat/stored/response-schema.js";
import { messagesQuerySchema } from "../../../dialects/openai-chat/stored/schema.js";
import { apiKeyRoute } from "../../server/route.js";

/** Lists a page of messages. */
export const listStoredMessages = apiKeyRoute({
  method: "GET",
  path: "/v1/chat/completions/:completion_id/messages",
  acl: "chat",
  docs: {
    operation: "listStoredMessages",
    tag: "Chat",
    summary: "List the messages of a stored chat completion",
    params: { completion_id: "Id of a stored completion of the key's team." },
    query: messagesQuerySchema,
    answers: { 200: { description: "One page of messages.", schema: storedMessages } },
  },
  async handle({ ctx, principal, params, route }, { storedCompletions }) {
    const query = parseMessagesQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const id = params["completion_id"] ?? "";
    ctx.body = storedMessagesPage(id, await storedCompletions.messages(id, principal.team.id), query);
  },
});
