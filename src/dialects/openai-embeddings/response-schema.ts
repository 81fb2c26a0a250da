/** Schemas of the response of POST /v1/embeddings. */
import { z } from "zod";
import { countField, responseArray, responseObject } from "../response-fields.js";

const embedding = responseObject({
  object: z.literal("embedding"),
  index: countField("Index of the input."),
  embedding: z
    .union([responseArray(z.number()), z.string()])
    .describe("The vector, of Euclidean length 1: numbers, or base64 of 32-bit floats, little-endian."),
}).meta({ id: "Embedding", description: "The vector of one input." });

export const embeddingList = responseObject({
  object: z.literal("list"),
  data: responseArray(embedding).describe("One for each input, in their order."),
  model: z.string(),
  usage: responseObject({
    prompt_tokens: countField("Tokens that the model read, its marks around each text included."),
    total_tokens: countField("The same."),
    cost_in_usd_ticks: countField("Total cost; 1 USD = 10^10 ticks."),
  }),
}).meta({ id: "EmbeddingList", description: "The vectors of the inputs." });
