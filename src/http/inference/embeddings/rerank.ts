/** POST /v1/rerank: orders documents by their relevance to a query. */
import { encodeRanking } from "../../../dialects/rerank/encode.js";
import { parseRerankRequest } from "../../../dialects/rerank/parse.js";
import { ranking } from "../../../dialects/rerank/response-schema.js";
import { rerankRequestSchema } from "../../../dialects/rerank/schema.js";
import { admitModel } from "../../../answers/admit.js";
import type { Ability } from "../../../answers/authorise-model.js";
import { readCall } from "../../server/answer.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { answerHeaders } from "../../server/reply/run-headers.js";
import { apiKeyRoute } from "../../server/route.js";

const reranks: Ability = {
  verb: "rerank",
  has: ({ manifest }) => manifest.kind === "rerank" || manifest.rerankBy === "similarity",
};

/** Ranks the documents of a request. */
export const createRanking = apiKeyRoute({
  method: "POST",
  path: "/v1/rerank",
  acl: "embed",
  docs: {
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
  },
  async handle(call, app) {
    const { ctx, principal, body, requestId, route } = call;
    const { request, ...options } = parseRerankRequest(body);
    const { model, query, documents } = request;
    // The query is read once for each document; a model refuses a long one, so that an estimate need not repeat it.
    const prompt = { text: [query, ...documents].join("\n"), tokens: 0 };
    const result = await whileClientWaits(ctx.req.socket, async (signal) => {
      const asked = { model, kind: "rerank", ability: reranks, prompt } as const;
      const tokenReservation = await admitModel(app, readCall(app, call, signal), asked);
      const context = { principal, requestId, endpoint: route.path, tokenReservation };
      return app.embedder.rerank(request, context, signal);
    });
    if (result === null) return;
    ctx.set(answerHeaders(result));
    ctx.body = encodeRanking({ ...result, ...options, id: requestId, model, documents });
  },
});
