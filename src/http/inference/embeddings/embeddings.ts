/** POST /v1/embeddings: turns texts into vectors. */
import type { PromptParts } from "../../../accounts/limits/prompt-estimate.js";
import type { EmbeddingInput } from "../../../core/embeddings/request.js";
import {
  encodeEmbedding,
  encodeEmbeddingUsage,
  type VectorFormat,
} from "../../../dialects/openai-embeddings/encode.js";
import { parseEmbeddingRequest } from "../../../dialects/openai-embeddings/parse.js";
import { embeddingList } from "../../../dialects/openai-embeddings/response-schema.js";
import { embeddingRequestSchema } from "../../../dialects/openai-embeddings/schema.js";
import type { Evaluated } from "../../../inference/embeddings/embed.js";
import { reserveTokens } from "../../server/middleware/limit.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { type Ability, requireAbility } from "../../../answers/require-ability.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { answerHeaders } from "../../server/reply/run-headers.js";
import { vectorsJson } from "../../server/reply/vectors.js";
import { apiKeyRoute } from "../../server/route.js";

/** Models that embed. */
export const embeds: Ability = { verb: "embed", has: ({ manifest }) => manifest.kind === "embedding" };

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
    const { ctx, principal, body, requestId, route } = call;
    const { request, format } = parseEmbeddingRequest(body);
    authoriseModel(app.models, call, request.model, "embedding");
    requireAbility(app.models, call, request.model, embeds);
    const tokenReservation = await reserveTokens(
      app,
      call,
      request.model,
      partsOf(request.inputs),
      request.labels,
    );
    const context = { principal, requestId, endpoint: route.path, tokenReservation };
    const result = await whileClientWaits(ctx.req.socket, (signal) =>
      app.embedder.embed(request, context, signal),
    );
    if (result === null) return;
    ctx.set(answerHeaders(result));
    ctx.body = await toJson(result, request.model, format);
    ctx.type = "application/json";
  },
});

async function toJson(result: Evaluated, modelName: string, format: VectorFormat): Promise<string> {
  const data = await vectorsJson(result.vectors, (vector, index) => encodeEmbedding(vector, index, format));
  return `{"data":${data},${JSON.stringify(encodeEmbeddingUsage(modelName, result)).slice(1)}`;
}

/** Returns what the limits on tokens estimate inputs by. */
export function partsOf(inputs: readonly EmbeddingInput[]): PromptParts {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  return { text: texts.join("\n"), tokens };
}
