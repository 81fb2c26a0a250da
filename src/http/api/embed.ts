/** POST /api/embed, as Ollama has it: turns texts into vectors. */
import { encodeEmbedEnd } from "../../dialects/ollama/embed/encode.js";
import { parseOllamaEmbed } from "../../dialects/ollama/embed/parse.js";
import { ollamaEmbedAnswer } from "../../dialects/ollama/embed/response-schema.js";
import { ollamaEmbedRequestSchema } from "../../dialects/ollama/embed/schema.js";
import { numbersOf } from "../../dialects/vector-numbers.js";
import { embedInputs, type EmbedDeps } from "../ollama/embed.js";
import { vectorsJson } from "../reply/vectors.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** Embeds the inputs of a request. */
export function createOllamaEmbeddings(deps: EmbedDeps): (call: Call) => Promise<void> {
  return async (call) => {
    const began = deps.clock.monotonic();
    const parsed = parseOllamaEmbed(call.body);
    const embedded = await embedInputs(deps, call, parsed);
    if (embedded === null) return;
    const { vectors, promptTokens, loadMs } = embedded;
    const data = await vectorsJson(vectors, numbersOf);
    const times = { elapsedMs: deps.clock.monotonic() - began, loadMs };
    const rest = JSON.stringify(encodeEmbedEnd(parsed.request.model, promptTokens, times));
    call.ctx.body = `{"embeddings":${data},${rest.slice(1)}`;
    call.ctx.type = "application/json";
  };
}

export const createOllamaEmbeddingsDocs: RouteDocs = {
  operation: "createOllamaEmbeddings",
  tag: "Ollama",
  summary: "Turn texts into vectors",
  body: ollamaEmbedRequestSchema,
  example: { model: "hearth-embed-1m", input: ["a cat on a mat", "a kitten on a rug"] },
  errors: ["no_credits", "budget_exceeded"],
  answers: { 200: { description: "The vectors.", schema: ollamaEmbedAnswer } },
};
