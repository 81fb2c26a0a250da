/** POST /v1/messages: Anthropic's Messages API, streamed or as JSON. */
import { z } from "zod";
import { anthropicError } from "../../../dialects/error-schema.js";
import { messagesRequestSchema } from "../../../dialects/anthropic-messages/schema.js";
import { message, messageEvent } from "../../../dialects/anthropic-messages/response-schema.js";
import { messages } from "../../../answers/messages/messages.js";
import { answerCall } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

/** Creates a message. */
export const createMessage = apiKeyRoute({
  method: "POST",
  path: "/v1/messages",
  acl: "chat",
  errors: "anthropic",
  docs: {
    operation: "createMessage",
    tag: "Messages",
    summary: "Create a message",
    description:
      "For Anthropic clients: the base URL is without `/v1`, the key goes into `x-api-key` or is a bearer token. Fields that are " +
      "not listed are ignored; values that are listed but not supported are rejected with the name of the field.",
    body: messagesRequestSchema,
    example: {
      model: "hearth-tiny-5m",
      max_tokens: 256,
      messages: [{ role: "user", content: "Hello!" }],
    },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: message } },
    stream: { schema: z.union([messageEvent, anthropicError]), named: true, done: false },
  },
  handle: (call, app) => answerCall(app, messages, call),
});
