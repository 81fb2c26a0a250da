/** Schemas of the response of POST /v1/rerank. */
import { z } from "zod";
import { countField, responseArray, responseObject } from "../response-fields.js";

const result = responseObject({
  index: countField("Index of the document in the request."),
  relevance_score: z.number().min(0).max(1),
  document: responseObject({ text: z.string() }).optional(),
}).meta({ id: "RerankResult", description: "One document with its relevance to the query." });

export const ranking = responseObject({
  id: z.string(),
  model: z.string(),
  results: responseArray(result).describe("The most relevant first; equal ones in the order of the request."),
  usage: responseObject({
    prompt_tokens: countField(
      "Tokens that the model read: the query and its marks count once for each document.",
    ),
    total_tokens: countField("The same."),
    cost_in_usd_ticks: countField("Total cost; 1 USD = 10^10 ticks."),
  }),
  meta: responseObject({
    tokens: responseObject({ input_tokens: countField("The same number, where Cohere's clients read it.") }),
  }),
}).meta({ id: "Ranking", description: "Documents in the order of their relevance." });
