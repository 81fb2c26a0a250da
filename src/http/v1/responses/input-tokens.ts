/** POST /v1/responses/input_tokens: how long the prompt of a request would be, by the model's own template and tokenizer. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { inputTokensBody } from "../../../dialects/openai-responses/pages.js";
import { generationRequest, parseResponsesRequest } from "../../../dialects/openai-responses/parse.js";
import { responsesRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { inputTokensSchema } from "../../../dialects/openai-responses/wire.js";
import { whileClientWaits } from "../../reply/client.js";
import type { HttpDeps } from "../../deps.js";
import { limitWork, settling } from "../../middleware/limit.js";
import { findItems } from "../../../jobs/responses/conversation-items.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";

/** The handler over its dependencies. */
export function countInputTokens(deps: HttpDeps): (call: Call) => Promise<void> {
  const { models, memory, generator } = deps;
  return async (call) => {
    const { ctx, principal, body, route } = call;
    const request = parseResponsesRequest(body);
    const model = models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const { before, own } = await findItems(memory, request, principal.team.id);
    const asked = generationRequest(request, [...before, ...own]);
    const admission = await limitWork(deps, call, request.model, asked);
    const count = () =>
      whileClientWaits(ctx.req.socket, (signal) => generator.countPrompt(asked, principal.team.id, signal));
    const tokens = await settling(admission, count, (counted) => counted ?? 0);
    if (tokens !== null) ctx.body = inputTokensBody(tokens);
  };
}

export const inputTokensDocs: RouteDocs = {
  operation: "countInputTokens",
  tag: "Responses",
  summary: "Count the tokens of a request's prompt",
  description: "The number that the response counts as `input_tokens`. Nothing is generated or charged.",
  body: responsesRequestSchema,
  example: { model: "hearth-tiny-5m", input: "Hello!" },
  answers: { 200: { description: "The number.", schema: inputTokensSchema } },
};
