/** POST /v1/messages/count_tokens: counts the prompt tokens of a messages request with the model's template and tokenizer. */
import { countEditedPrompt } from "../../../inference/prompt/context-edits.js";
import { messagesRequestSchema } from "../../../dialects/anthropic-messages/schema.js";
import { tokenCount } from "../../../dialects/anthropic-messages/response-schema.js";
import { admit } from "../../../answers/admit.js";
import { listMessagesTools } from "../../../answers/messages/mcp.js";
import { messages } from "../../../answers/messages/messages.js";
import { readCall } from "../../server/answer.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { withReservation } from "../../server/middleware/limit.js";
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
    const counted = await whileClientWaits(call.ctx.req.socket, async (signal) => {
      const asking = readCall(app, call, signal);
      const { ready, reservation } = await admit(app, listed, asking);
      ready.close?.();
      const { request, edits } = ready;
      const count = () =>
        countEditedPrompt(app.generator, request, edits ?? [], asking.principal.team.id, signal);
      return { edits, ...(await withReservation(reservation, count, ({ original }) => original)) };
    });
    if (counted === null) return;
    const { edits, original, edited } = counted;
    const context_management = edits === null ? undefined : { original_input_tokens: original };
    call.ctx.body = { input_tokens: edited, context_management };
  },
});

/** The request as it would run, before anything of its conversation is cleared. */
const listed: typeof messages = {
  ...messages,
  prepare: (asking, ready, app) => listMessagesTools(app, asking, ready),
};
