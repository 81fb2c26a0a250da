/** POST /v1/rerank: orders documents by their relevance to a query. */
import { encodeRanking } from "../../dialects/rerank/encode.js";
import { parseRerankRequest } from "../../dialects/rerank/parse.js";
import { ranking } from "../../dialects/rerank/response-schema.js";
import { rerankRequestSchema } from "../../dialects/rerank/schema.js";
import type { HttpDeps } from "../deps.js";
import { reserveTokens } from "../middleware/limit.js";
import { authoriseModel } from "../models/authorise-model.js";
import { requireAbility, type Ability } from "../models/require-ability.js";
import { whileClientWaits } from "../reply/client.js";
import { answerHeaders } from "../reply/run-headers.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

const reranks: Ability = {
  verb: "rerank",
  has: ({ manifest }) => manifest.kind === "rerank" || manifest.rerankBy === "similarity",
};

/** Ranks the documents of a request. */
export function createRanking(
  deps: Pick<HttpDeps, "embedder" | "models" | "clock" | "rateLimits" | "hostedTokenizer">,
): (call: Call) => Promise<void> {
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, ...options } = parseRerankRequest(body);
    authoriseModel(deps.models, call, request.model, "rerank");
    requireAbility(deps.models, call, request.model, reranks);
    const { query, documents } = request;
    // The query is read once for each document; a model refuses a long one, so that an estimate need not repeat it.
    const text = [query, ...documents].join("\n");
    const tokenReservation = await reserveTokens(deps, call, request.model, { text, tokens: 0 });
    const context = { principal, requestId, endpoint: route.path, tokenReservation };
    const result = await whileClientWaits(ctx.req.socket, (signal) =>
      deps.embedder.rerank(request, context, signal),
    );
    if (result === null) return;
    ctx.set(answerHeaders(result));
    ctx.body = encodeRanking({ ...result, ...options, id: requestId, model: request.model, documents });
  };
}

export const createRankingDocs: RouteDocs = {
  operation: "createRanking",
  tag: "Embeddings",
  summary: "Order documents by their relevance to a query",
  description:
    "Accepts the fields of Jina and Cohere. A rerank model reads the query together with each document. An embedding model whose " +
    "manifest has `rerankBy: similarity` compares the vectors of query and document instead: its score is (1 + cosine) / 2.",
  body: rerankRequestSchema,
  example: { model: "hearth-embed-1m", query: "pets", documents: ["a cat and a dog", "the stock market"] },
  errors: ["no_credits", "budget_exceeded"],
  answers: { 200: { description: "The documents, the most relevant first.", schema: ranking } },
};
