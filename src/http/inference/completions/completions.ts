/** POST /v1/completions: continues raw prompts without a chat template, streamed or as JSON. */
import { z } from "zod";
import { openaiErrorEvent } from "../../../dialects/error-schema.js";
import { completionRequestSchema } from "../../../dialects/openai-completions/schema.js";
import { completion } from "../../../dialects/openai-completions/response-schema.js";
import { completions } from "../../../answers/completions.js";
import { answerCall } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

/** Creates a completion. */
export const createCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/completions",
  acl: "sample",
  docs: {
    operation: "createCompletion",
    tag: "Completions",
    summary: "Continue a raw prompt",
    description:
      "Continues the prompt without a chat template. Fields that are not listed are ignored; values that are listed but not " +
      "supported are rejected with the name of the field.",
    body: completionRequestSchema,
    example: { model: "hearth-tiny-5m", prompt: "Once upon a time", max_tokens: 64 },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The completion.", schema: completion } },
    stream: { schema: z.union([completion, openaiErrorEvent]), named: false, done: true },
  },
  handle: (call, app) => answerCall(app, completions, call),
});
