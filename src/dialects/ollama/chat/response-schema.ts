/** Schema of the response of POST /api/chat, and of each line of its stream. */
import { z } from "zod";
import { answerFields } from "../answer.js";
import { countField, responseArray, responseObject } from "../../response-fields.js";

const toolCall = responseObject({
  id: z.string(),
  function: responseObject({
    index: countField("Number of the call in the answer."),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).readonly(),
  }),
});

export const ollamaChatAnswer = responseObject({
  ...answerFields,
  message: responseObject({
    role: z.literal("assistant"),
    content: z.string(),
    thinking: z.string().optional().describe("The model's reasoning before the answer."),
    tool_calls: responseArray(toolCall).optional(),
  }),
}).meta({ id: "OllamaChatAnswer", description: "An answer, or one line of a streamed one." });

export type OllamaToolCall = z.infer<typeof toolCall>;
