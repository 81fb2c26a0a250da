/** Encodes scores as the response of POST /v1/rerank. Pure. */
import type { z } from "zod";
import type { ranking } from "./response-schema.js";

type WireRanking = z.infer<typeof ranking>;

interface RankedDocuments {
  /** Id of the request. */
  readonly id: string;
  /** Model id. */
  readonly model: string;
  /** One for each document, in their order. */
  readonly scores: readonly number[];
  readonly documents: readonly string[];
  /** Number of results; null = all. */
  readonly resultsMax: number | null;
  readonly returnDocuments: boolean;
  readonly promptTokens: number;
  readonly costTicks: number;
}

/** Returns the response body. */
export function encodeRanking(ranked: RankedDocuments): WireRanking {
  const { id, model, scores, documents, resultsMax, returnDocuments, promptTokens, costTicks } = ranked;
  const results = scores
    .map((score, index) => ({
      index,
      relevance_score: score,
      document: returnDocuments ? { text: documents[index] ?? "" } : undefined,
    }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score);
  return {
    id,
    model,
    results: results.slice(0, resultsMax ?? results.length),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens, cost_in_usd_ticks: costTicks },
    meta: { tokens: { input_tokens: promptTokens } },
  };
}
