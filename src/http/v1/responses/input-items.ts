/** GET /v1/responses/{id}/input_items: all that a response was made from, page by page. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { withIds } from "../../../dialects/openai-responses/items/items.js";
import { inputItemsPage, pageQuerySchema, parsePageQuery } from "../../../dialects/openai-responses/pages.js";
import { inputItemsPageSchema } from "../../../dialects/openai-responses/wire.js";
import type { HttpDeps } from "../../deps.js";
import { read } from "../../../jobs/responses/conversation-items.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";

/** The handler over its dependencies. */
export function listInputItems({ memory }: Pick<HttpDeps, "memory">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    const query = parsePageQuery(ctx.query);
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const stored = await memory.find(params["response_id"] ?? "", principal.team.id);
    const items = withIds(read(await memory.wholeInput(stored)), stored.id);
    ctx.body = inputItemsPage(items, query);
  };
}

export const inputItemsDocs: RouteDocs = {
  operation: "listInputItems",
  tag: "Responses",
  summary: "List what a response was made from",
  description: "The conversation before it, as far as that is still kept, and its own input.",
  params: { response_id: "Id of a response of the key's team." },
  query: pageQuerySchema,
  answers: { 200: { description: "One page of items.", schema: inputItemsPageSchema } },
};
