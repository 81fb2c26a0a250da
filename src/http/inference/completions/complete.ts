/** POST /v1/complete: Anthropic's Text Completions API, the predecessor of the Messages API. */
import { z } from "zod";
import { completeRequestSchema } from "../../../dialects/anthropic-complete/schema.js";
import { completeEvent, anthropicCompletion } from "../../../dialects/anthropic-complete/response-schema.js";
import { anthropicError } from "../../../dialects/error-schema.js";
import { complete } from "../../../answers/complete.js";
import { answerCall } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

/** Creates a text anthropicCompletion. */
export const createTextCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/complete",
  acl: "sample",
  errors: "anthropic",
  docs: {
    operation: "createTextCompletion",
    tag: "Completions",
    summary: "Create an Anthropic text completion",
    description:
      "The turns of the prompt become a conversation in the template of the model. Text after the last `Assistant:` is " +
      "continued. Fields that are not listed are ignored.",
    body: completeRequestSchema,
    example: {
      model: "hearth-tiny-5m",
      prompt: "\n\nHuman: Hello!\n\nAssistant:",
      max_tokens_to_sample: 64,
    },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: anthropicCompletion } },
    stream: { schema: z.union([completeEvent, anthropicError]), named: true, done: false },
  },
  handle: (call, app) => answerCall(app, complete, call),
});
