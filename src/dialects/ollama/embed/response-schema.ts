/** Schemas of the responses of POST /api/embed and POST /api/embeddings. */
import { z } from "zod";
import { countField, responseArray, responseObject } from "../../response-fields.js";

export const ollamaEmbedAnswer = responseObject({
  model: z.string().describe("As the request names it."),
  embeddings: responseArray(responseArray(z.number())).describe(
    "Vectors of length 1, in the order of the inputs.",
  ),
  total_duration: countField("Nanoseconds since the request was accepted."),
  load_duration: countField("Nanoseconds that the model was waited for."),
  prompt_eval_count: countField("Tokens of all inputs."),
}).meta({ id: "OllamaEmbedAnswer" });

export const ollamaEmbeddingsAnswer = responseObject({ embedding: responseArray(z.number()) }).meta({
  id: "OllamaEmbeddingsAnswer",
});
