/** POST /api/embeddings, the older form of /api/embed. */
import { parseOllamaEmbeddings } from "../../dialects/ollama/embed/parse.js";
import { ollamaEmbeddingsAnswer } from "../../dialects/ollama/embed/response-schema.js";
import { ollamaEmbeddingsRequestSchema } from "../../dialects/ollama/embed/schema.js";
import { numbersOf } from "../../dialects/vector-numbers.js";
import { embedInputs, type EmbedDeps } from "../ollama/embed.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** Embeds one text. */
export function createOllamaEmbedding(deps: EmbedDeps): (call: Call) => Promise<void> {
  return async (call) => {
    const embedded = await embedInputs(deps, call, parseOllamaEmbeddings(call.body));
    if (embedded === null) return;
    const [vector] = embedded.vectors;
    call.ctx.body = { embedding: vector === undefined ? [] : numbersOf(vector) };
  };
}

export const createOllamaEmbeddingDocs: RouteDocs = {
  operation: "createOllamaEmbedding",
  tag: "Ollama",
  summary: "Turn a text into a vector",
  description: "The older form of `/api/embed`.",
  body: ollamaEmbeddingsRequestSchema,
  example: { model: "hearth-embed-1m", prompt: "a cat on a mat" },
  errors: ["no_credits", "budget_exceeded"],
  answers: { 200: { description: "The vector.", schema: ollamaEmbeddingsAnswer } },
};
