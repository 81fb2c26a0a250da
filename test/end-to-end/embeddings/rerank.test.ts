import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import {
  contextTokens,
  price,
  rerankModels,
  writeEmbeddingModels,
  writeRerankModels,
} from "./embedding-models.js";

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  await writeEmbeddingModels(folder);
  await writeRerankModels(folder);
  return { environment: { HEARTH_MODELS: folder } };
});

interface Ranking {
  readonly model: string;
  readonly results: readonly {
    readonly index: number;
    readonly relevance_score: number;
    readonly document?: { readonly text: string };
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly cost_in_usd_ticks: number };
}

const post = (body: object): Promise<Response> =>
  fetch(`${shared().url}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "bge-reranker", query: "a cat", documents: ["the dog"], ...body }),
  });

const rank = async (body: object): Promise<Ranking> => {
  const response = await post(body);
  expect(response.status).toBe(200);
  return (await response.json()) as Ranking;
};

const documents = ["the dog", "a cat on the mat", "rug", "the cat sat"];

describe.each(rerankModels)("the rerank model %s", (model) => {
  it("law: a document has the same score alone and among others; results are in order of their scores", async () => {
    const { results, usage } = await rank({ model, documents });
    const scores = results.map(({ relevance_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(documents.length);
    let tokens = 0;
    for (const { index, relevance_score: score } of results) {
      const alone = await rank({ model, documents: [documents[index]] });
      expect(alone.results[0]?.relevance_score).toBeCloseTo(score, 5);
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThan(1);
      tokens += alone.usage.prompt_tokens;
    }
    expect(usage).toMatchObject({ prompt_tokens: tokens, cost_in_usd_ticks: tokens * price });
  });
});

describe("POST /v1/rerank", () => {
  it("returns the best top_n documents, with their texts if they are requested", async () => {
    const all = await rank({ documents });
    const best = await rank({
      documents: documents.map((text) => ({ text, id: 7 })),
      top_n: 2,
      return_documents: true,
    });
    expect(best.results).toEqual(
      all.results.slice(0, 2).map((result) => ({ ...result, document: { text: documents[result.index] } })),
    );
  });

  it("reads [CLS] query [SEP] document with an encoder", async () => {
    expect((await rank({})).usage.prompt_tokens).toBe(1 + 2 + 1 + 2);
    const [run] = await shared().app.runs.list(1);
    expect(run).toMatchObject({ model: "bge-reranker", endpoint: "/v1/rerank", state: "completed" });
  });

  it("ranks by similarity with an embedding model whose manifest allows it", async () => {
    const { results, usage } = await rank({ model: "similar", documents: ["the rug", "a cat"] });
    expect(results[0]).toEqual({ index: 1, relevance_score: expect.closeTo(1, 5) as number });
    expect(usage.prompt_tokens).toBe(3 * 4);
  });

  it.each([
    ["an embedding model", { model: "bert" }, 400, "model: 'bert' cannot rerank: it is an embedding model"],
    ["a chat model", { model: "hearth-tiny-5m" }, 400, "Models that can: 'bge-reranker'"],
    ["no document", { documents: [] }, 400, "documents: must not be empty"],
    ["an empty document", { documents: ["a", ""] }, 400, "documents.1: must not be empty"],
    ["a document without text", { documents: [{ title: "a" }] }, 422, "documents.0.text: is required"],
    ["too many documents", { documents: Array(1001).fill("a") }, 400, "documents: must hold at most 1000"],
    ["an empty query", { query: "" }, 400, "query: must not be empty"],
    ["no results", { top_n: 0 }, 400, "top_n: must be between 1 and 1000"],
    [
      "too long a pair",
      { documents: ["a", "cat ".repeat(contextTokens)] },
      400,
      "documents.1: has 304 tokens",
    ],
  ])("refuses %s, naming the field", async (_, body, status, message) => {
    const response = await post(body);
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    expect([response.status, error.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it("is named by the embeddings route that gets a rerank model", async () => {
    const embedding = shared().client.embeddings.create({ model: "bge-reranker", input: "a" });
    await expect(embedding).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("it is a rerank model: use it at /v1/rerank") as string,
    });
  });
});
