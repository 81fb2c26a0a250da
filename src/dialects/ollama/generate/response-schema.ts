/** Schema of the response of POST /api/generate, and of each line of its stream. */
import { z } from "zod";
import { answerFields } from "../answer.js";
import { responseObject } from "../../response-fields.js";

export const ollamaGenerateAnswer = responseObject({
  ...answerFields,
  response: z.string(),
  thinking: z.string().optional().describe("The model's reasoning before the answer."),
  image: z.string().optional().describe("The image of an image model, a PNG file in base64."),
}).meta({ id: "OllamaGenerateAnswer", description: "An answer, or one line of a streamed one." });

export type OllamaGenerateAnswer = z.infer<typeof ollamaGenerateAnswer>;
