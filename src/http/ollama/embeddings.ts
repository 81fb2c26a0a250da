/** POST /api/embeddings, the older form of /api/embed. */
import { parseOllamaEmbeddings } from "../../dialects/ollama/embed/parse.js";
import { ollamaEmbeddingsAnswer } from "../../dialects/ollama/embed/response-schema.js";
import { ollamaEmbeddingsRequestSchema } from "../../dialects/ollama/embed/schema.js";
import { toShortNumbers } from "../../dialects/vector-numbers.js";
import { embedInputs } from "./embed-inputs.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

/** Embeds one text. */
export const createOllamaEmbedding = apiKeyRoute({
  method: "POST",
  path: "/api/embeddings",
  acl: "embed",
  ...ollamaClients,
  docs: {
    operation: "createOllamaEmbedding",
    tag: "Ollama",
    summary: "Turn a text into a vector",
    description: "The older form of `/api/embed`.",
    body: ollamaEmbeddingsRequestSchema,
    example: { model: "hearth-embed-1m", prompt: "a cat on a mat" },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The vector.", schema: ollamaEmbeddingsAnswer } },
  },
  async handle(call, app) {
    const embedded = await embedInputs(app, call, parseOllamaEmbeddings(call.body));
    if (embedded === null) return;
    const [vector] = embedded.vectors;
    call.ctx.body = { embedding: vector === undefined ? [] : toShortNumbers(vector) };
  },
});
