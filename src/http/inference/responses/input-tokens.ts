/** POST /v1/responses/input_tokens: counts the prompt tokens of a request with the model's template and tokenizer. */
import { inputTokensBody } from "../../../dialects/openai-responses/pages.js";
import { withToolsOfItems } from "../../../dialects/openai-responses/parse.js";
import { responsesRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { inputTokensSchema } from "../../../dialects/openai-responses/response-schema.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { withReservation } from "../../server/middleware/limit.js";
import { joinItems, findItems } from "../../../answers/responses/conversation-items.js";
import { listMcpTools } from "../../../answers/responses/mcp.js";
import { admit } from "../../../answers/admit.js";
import { readyResponse, responses } from "../../../answers/responses/responses.js";
import { readCall } from "../../server/answer.js";
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
    const tokens = await whileClientWaits(call.ctx.req.socket, async (signal) => {
      const asking = readCall(app, call, signal);
      const { ready, reservation } = await admit(app, counted, asking);
      ready.close?.();
      const count = () => app.generator.countPrompt(ready.request, asking.principal.team.id, signal);
      return withReservation(reservation, count, (tokens) => tokens);
    });
    if (tokens !== null) call.ctx.body = inputTokensBody(tokens);
  },
});

/** The request as it would run; nothing is stored, and no call is executed. */
const counted: typeof responses = {
  ...responses,
  async load({ principal }, { request }, app) {
    const items = await findItems(app, request, principal.team.id);
    const createTime = app.clock.now();
    return readyResponse(withToolsOfItems(request, joinItems(items)), items, { id: "", createTime });
  },
  async prepare({ signal }, ready, app) {
    const listed = await listMcpTools(app, ready.response, ready.items, signal);
    listed.close();
    return readyResponse(listed.request, ready.items, ready);
  },
};
