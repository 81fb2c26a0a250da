/** POST /v1/responses/compact: the model summarises a conversation, so that a later request can continue from the summary. */
import { compactRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { compactionSchema } from "../../../dialects/openai-responses/response-schema.js";
import { compaction } from "../../../answers/responses/compact.js";
import { answerCall } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

/** Returns the summary of a conversation. */
export const compactConversation = apiKeyRoute({
  method: "POST",
  path: "/v1/responses/compact",
  acl: "chat",
  docs: {
    operation: "compactConversation",
    tag: "Responses",
    summary: "Summarise a conversation",
    description:
      "The model summarises the conversation. The returned item replaces the conversation in the `input` of a later request.",
    body: compactRequestSchema,
    example: { model: "hearth-tiny-5m", input: [{ role: "user", content: "My name is Ada." }] },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The summary, as an item.", schema: compactionSchema } },
  },
  handle: (call, app) => answerCall(app, compaction, call),
});
