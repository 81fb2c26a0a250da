/** POST /api/embed, as Ollama has it: turns texts into vectors. */
import { encodeEmbedEnd } from "../../dialects/ollama/embed/encode.js";
import { parseOllamaEmbed } from "../../dialects/ollama/embed/parse.js";
import { ollamaEmbedAnswer } from "../../dialects/ollama/embed/response-schema.js";
import { ollamaEmbedRequestSchema } from "../../dialects/ollama/embed/schema.js";
import { toShortNumbers } from "../../dialects/vector-numbers.js";
import { embedInputs } from "./embed-inputs.js";
import { vectorsJson } from "../server/reply/vectors.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

/** Embeds the inputs of a request. */
export const createOllamaEmbeddings = apiKeyRoute({
  method: "POST",
  path: "/api/embed",
  acl: "embed",
  ...ollamaClients,
  docs: {
    operation: "createOllamaEmbeddings",
    tag: "Ollama",
    summary: "Turn texts into vectors",
    body: ollamaEmbedRequestSchema,
    example: { model: "hearth-embed-1m", input: ["a cat on a mat", "a kitten on a rug"] },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The vectors.", schema: ollamaEmbedAnswer } },
  },
  async handle(call, app) {
    const began = app.clock.monotonic();
    const parsed = parseOllamaEmbed(call.body);
    const embedded = await embedInputs(app, call, parsed);
    if (embedded === null) return;
    const { vectors, promptTokens, loadMs } = embedded;
    const data = await vectorsJson(vectors, toShortNumbers);
    const times = { elapsedMs: app.clock.monotonic() - began, loadMs };
    const rest = JSON.stringify(encodeEmbedEnd(parsed.request.model, promptTokens, times));
    call.ctx.body = `{"embeddings":${data},${rest.slice(1)}`;
    call.ctx.type = "application/json";
  },
});
