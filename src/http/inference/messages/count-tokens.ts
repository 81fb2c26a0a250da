/** POST /v1/messages/count_tokens: counts the prompt tokens of a messages request with the model's template and tokenizer. */
import { countEditedPrompt } from "../../../inference/prompt/context-edits.js";
import type { McpOffer } from "../../../dialects/anthropic-messages/mcp/servers.js";
import { parseMessagesRequest } from "../../../dialects/anthropic-messages/parse.js";
import { messagesRequestSchema } from "../../../dialects/anthropic-messages/schema.js";
import { tokenCount } from "../../../dialects/anthropic-messages/response-schema.js";
import { listMessagesTools, mcpOfferOf } from "./mcp.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { inlineFiles } from "../../server/inline-files.js";
import { reserveTokens, whileReserved, withReservation } from "../../server/middleware/limit.js";
import { apiKeyRoute } from "../../server/route.js";

/** Counts the prompt tokens of a request. */
export const countMessageTokens = apiKeyRoute({
  method: "POST",
  path: "/v1/messages/count_tokens",
  acl: "chat",
  errors: "anthropic",
  docs: {
    operation: "countMessageTokens",
    tag: "Messages",
    summary: "Count the tokens of a messages request",
    description:
      "Returns the sum of `input_tokens` and `cache_read_input_tokens` that the answer would report. The body is a messages " +
      "request; `max_tokens` is optional.",
    body: messagesRequestSchema,
    example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }] },
    answers: { 200: { description: "The number of tokens.", schema: tokenCount } },
  },
  async handle(call, app) {
    const { ctx, principal, bodyText } = call;
    const inlined = await inlineFiles(app, call);
    if (inlined === null) return;
    const { whole } = inlined;
    const parse = (offer: McpOffer) => parseMessagesRequest(whole, bodyText, offer);
    const parsed = parse(mcpOfferOf(call));
    authoriseModel(app.models, call, parsed.request.model);
    const reservation = await reserveTokens(app, call, parsed.request.model, parsed.request);
    const listed = await whileReserved(reservation, () => listMessagesTools(app, call, parsed, parse));
    if (listed === null) return;
    listed.close();
    const { request, edits } = listed.parsed;
    const count = () =>
      whileClientWaits(ctx.req.socket, (signal) =>
        countEditedPrompt(app.generator, request, edits ?? [], principal.team.id, signal),
      );
    const counted = await withReservation(reservation, count, (result) => result?.original ?? 0);
    if (counted === null) return;
    const context_management = { original_input_tokens: counted.original };
    ctx.body = { input_tokens: counted.edited, ...(edits === null ? {} : { context_management }) };
  },
});
