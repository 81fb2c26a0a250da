/** POST /v1/messages/count_tokens: how long the prompt of a messages request is, by the model's own template and tokenizer. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { parseMessagesRequest } from "../../../dialects/anthropic-messages/parse.js";
import { messagesRequestSchema } from "../../../dialects/anthropic-messages/schema.js";
import { tokenCount } from "../../../dialects/anthropic-messages/wire.js";
import { whileClientWaits } from "../../reply/client.js";
import type { BuiltDeps } from "../../deps.js";
import { limitWork, settling } from "../../middleware/limit.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

/** The handler over its dependencies. */
export function countMessageTokens(deps: BuiltDeps): (call: Call) => Promise<void> {
  return async (call) => {
    const { ctx, principal, body, route } = call;
    const { request } = parseMessagesRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const admission = await limitWork(deps, call, request.model, request);
    const count = () =>
      whileClientWaits(ctx.req.socket, (signal) =>
        deps.generator.countPrompt(request, principal.team.id, signal),
      );
    const tokens = await settling(admission, count, (counted) => counted ?? 0);
    if (tokens !== null) ctx.body = { input_tokens: tokens };
  };
}

export const messageTokensDocs: RouteDocs = {
  operation: "countMessageTokens",
  tag: "Messages",
  summary: "Count the tokens of a conversation",
  description:
    "The number that the answer would count as `input_tokens` and `cache_read_input_tokens` together. The body is that of a " +
    "messages request, where `max_tokens` may be left out.",
  body: messagesRequestSchema,
  example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }] },
  answers: { 200: { description: "The number.", schema: tokenCount } },
};
