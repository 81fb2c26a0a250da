/** POST /v1/embeddings: turns texts into vectors. */
import {
  encodeEmbedding,
  encodeEmbeddingUsage,
  type VectorFormat,
} from "../../../dialects/openai-embeddings/encode.js";
import { parseEmbeddingRequest } from "../../../dialects/openai-embeddings/parse.js";
import { embeddingList } from "../../../dialects/openai-embeddings/response-schema.js";
import { embeddingRequestSchema } from "../../../dialects/openai-embeddings/schema.js";
import type { Evaluated } from "../../../inference/embeddings/embedding-run.js";
import { vectorsJson } from "../../server/reply/vectors.js";
import { embedCall } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

/** Embeds the inputs of a request. */
export const createEmbeddings = apiKeyRoute({
  method: "POST",
  path: "/v1/embeddings",
  acl: "embed",
  docs: {
    operation: "createEmbedding",
    tag: "Embeddings",
    summary: "Turn texts into vectors",
    description:
      "The vectors are pooled as the model file says and have length 1, so that their dot product is their similarity. An input that " +
      "is longer than the model's context is rejected with its index.",
    body: embeddingRequestSchema,
    example: { model: "hearth-embed-1m", input: ["a cat on a mat", "a kitten on a rug"] },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The vectors.", schema: embeddingList } },
  },
  async handle(call, app) {
    const { ctx, body } = call;
    const { request, format } = parseEmbeddingRequest(body);
    const result = await embedCall(app, call, request);
    if (result === null) return;
    ctx.body = await toJson(result, request.model, format);
    ctx.type = "application/json";
  },
});

async function toJson(result: Evaluated, modelName: string, format: VectorFormat): Promise<string> {
  const data = await vectorsJson(result.vectors, (vector, index) => encodeEmbedding(vector, index, format));
  return `{"data":${data},${JSON.stringify(encodeEmbeddingUsage(modelName, result)).slice(1)}`;
}
