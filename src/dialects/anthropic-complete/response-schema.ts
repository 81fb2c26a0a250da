/** Schemas of the response of POST /v1/complete. The events of a stream are the same object with parts of the text. */
import { z } from "zod";
import { responseObject } from "../response-fields.js";

export const anthropicCompletion = responseObject({
  type: z.literal("completion"),
  id: z.string(),
  completion: z.string().describe("Text of the answer, or its next part."),
  stop_reason: z.enum(["stop_sequence", "max_tokens"]).nullable().describe("Null until the text ends."),
  model: z.string().describe("Id of the model, even if the request named an alias."),
}).meta({ id: "TextCompletion", description: "An answer, or one part of a streamed answer." });

export const completeEvent = z
  .discriminatedUnion("type", [anthropicCompletion, responseObject({ type: z.literal("ping") })])
  .meta({ id: "TextCompletionEvent", description: "One event of a streamed answer." });
