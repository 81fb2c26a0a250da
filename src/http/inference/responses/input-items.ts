/** GET /v1/responses/{id}/input_items: lists the input of a response in pages. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { withIds } from "../../../dialects/openai-responses/items/items.js";
import { inputItemsPage, pageQuerySchema, parsePageQuery } from "../../../dialects/openai-responses/pages.js";
import { inputItemsPageSchema } from "../../../dialects/openai-responses/response-schema.js";
import { read } from "../../../answers/responses/conversation-items.js";
import { apiKeyRoute } from "../../server/route.js";

/** Lists a page of input items. */
export const listInputItems = apiKeyRoute({
  method: "GET",
  path: "/v1/responses/:response_id/input_items",
  acl: "chat",
  docs: {
    operation: "listInputItems",
    tag: "Responses",
    summary: "List the input items of a response",
    description: "The stored items of the conversation before the response, and its own input.",
    params: { response_id: "Id of a response of the key's team." },
    query: pageQuerySchema,
    answers: { 200: { description: "One page of items.", schema: inputItemsPageSchema } },
  },
  async handle({ ctx, principal, params, route }, { storedResponses: storedResponses }) {
    const query = parsePageQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const stored = await storedResponses.find(params["response_id"] ?? "", principal.team.id);
    const items = withIds(read(await storedResponses.wholeInput(stored)), stored.id);
    ctx.body = inputItemsPage(items, query);
  },
});
