import { createOpenAI } from "@ai-sdk/openai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embed, embedMany } from "ai";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { writeEmbeddingModels } from "./embedding-models.js";

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  await writeEmbeddingModels(folder);
  return { environment: { HEARTH_MODELS: folder } };
});

const model = "nomic-embed";
const texts = ["a cat sat on the mat", "the dog"];

/** The vectors as the server sends them without a client. */
const plain = async (): Promise<readonly (readonly number[])[]> => {
  const response = await fetch(`${shared().url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: texts }),
  });
  const { data } = (await response.json()) as { readonly data: readonly { readonly embedding: number[] }[] };
  return data.map(({ embedding }) => embedding);
};

const expectEqual = async (vectors: readonly (readonly number[])[]): Promise<void> => {
  const expected = await plain();
  expect(vectors.map((vector) => vector.map(Math.fround))).toEqual(
    expected.map((vector) => vector.map(Math.fround)),
  );
};

it("OpenAI's client, which requests base64 by default, gets the vectors", async () => {
  const { data, usage } = await shared().client.embeddings.create({ model, input: texts });
  await expectEqual(data.map(({ embedding }) => embedding));
  expect(usage.total_tokens).toBe(8 + 2 * 2);
});

it("LangChain's client gets the vectors of documents and of a query", async () => {
  const embeddings = new OpenAIEmbeddings({
    model,
    apiKey: testKey,
    maxRetries: 0,
    configuration: { baseURL: `${shared().url}/v1` },
  });
  await expectEqual(await embeddings.embedDocuments(texts));
  const [first] = texts;
  await expectEqual([await embeddings.embedQuery(first ?? ""), (await plain())[1] ?? []]);
});

it("the AI SDK's client gets the vectors of one text and of several, with their usage", async () => {
  const openai = createOpenAI({ baseURL: `${shared().url}/v1`, apiKey: testKey });
  const many = await embedMany({ model: openai.textEmbeddingModel(model), values: texts, maxRetries: 0 });
  await expectEqual(many.embeddings);
  expect(many.usage.tokens).toBe(12);
  const one = await embed({ model: openai.textEmbeddingModel(model), value: "the dog", maxRetries: 0 });
  expect(one.embedding).toEqual(many.embeddings[1]);
});

it("LlamaIndex's client, whose package does not install beside this one's, gets the vectors by its request", async () => {
  const response = await fetch(`${shared().url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    // As @llamaindex/openai 0.4.22 sends it.
    body: JSON.stringify({ model, input: texts, encoding_format: "base64" }),
  });
  const { data } = (await response.json()) as { readonly data: readonly { readonly embedding: string }[] };
  await expectEqual(
    data.map(({ embedding }) => [
      ...new Float32Array(Uint8Array.from(Buffer.from(embedding, "base64")).buffer),
    ]),
  );
});
