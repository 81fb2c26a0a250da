/** POST /v1/responses/input_tokens: counts the prompt tokens of a request with the model's template and tokenizer. */
import { inputTokensBody } from "../../../dialects/openai-responses/pages.js";
import {
  generationRequest,
  parseResponsesRequest,
  withToolsOfItems,
} from "../../../dialects/openai-responses/parse.js";
import { responsesRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { inputTokensSchema } from "../../../dialects/openai-responses/response-schema.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { inlineFiles } from "../../server/inline-files.js";
import { reserveTokens, whileReserved, withReservation } from "../../server/middleware/limit.js";
import { allOf, findItems } from "../../../answers/responses/conversation-items.js";
import { listMcpTools } from "../../../answers/responses/mcp.js";
import { serverToolOffer } from "../../../answers/responses/server-tools.js";
import { apiKeyRoute } from "../../server/route.js";

/** Counts the prompt tokens of a request. */
export const countInputTokens = apiKeyRoute({
  method: "POST",
  path: "/v1/responses/input_tokens",
  acl: "chat",
  docs: {
    operation: "countInputTokens",
    tag: "Responses",
    summary: "Count the prompt tokens of a request",
    description:
      "Returns the `input_tokens` that the response would report. Nothing is generated or charged.",
    body: responsesRequestSchema,
    example: { model: "hearth-tiny-5m", input: "Hello!" },
    errors: ["dependency_failed"],
    answers: { 200: { description: "The number of tokens.", schema: inputTokensSchema } },
  },
  async handle(call, app) {
    const { models, generator } = app;

    const { ctx, principal, bodyText } = call;
    const inlined = await inlineFiles(app, call);
    if (inlined === null) return;
    const { whole } = inlined;
    const offer = serverToolOffer(app, principal);
    const request = parseResponsesRequest(whole, bodyText, offer);
    authoriseModel(models, call, request.model);
    const items = await findItems(app, request, principal.team.id);
    const unlisted = withToolsOfItems(request, allOf(items));
    const asked = generationRequest(unlisted, allOf(items));
    const reservation = await reserveTokens(app, call, request.model, asked);
    const listed = await whileReserved(reservation, () =>
      whileClientWaits(ctx.req.socket, (signal) => listMcpTools(app, unlisted, items, signal)),
    );
    if (listed === null) return;
    listed.close();
    const generation = generationRequest(listed.request, allOf(items));
    const count = () =>
      whileClientWaits(ctx.req.socket, (signal) =>
        generator.countPrompt(generation, principal.team.id, signal),
      );
    const tokens = await withReservation(reservation, count, (counted) => counted ?? 0);
    if (tokens !== null) ctx.body = inputTokensBody(tokens);
  },
});
