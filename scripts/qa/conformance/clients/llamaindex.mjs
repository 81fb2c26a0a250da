/** LlamaIndex (TypeScript) with its OpenAI model: chat, stream, an agent, and retrieval over embeddings. */
import assert from "node:assert/strict";
import { agent } from "@llamaindex/workflow";
import { OpenAI, OpenAIEmbedding } from "@llamaindex/openai";
import { Document, Settings, VectorStoreIndex, tool } from "llamaindex";
import { z } from "zod";
import * as shared from "./flows.mjs";

const { assertNear, assertRepeatsSky, assertWords, builtIn, collect, runFlows, scripted } = shared;

/** @param {{ url: string, key: string, model: string }} server */
const createModel = ({ url, key, model }) =>
  new OpenAI({ model, apiKey: key, baseURL: `${url}/v1`, temperature: 0, maxTokens: 100 });
const embedding = new OpenAIEmbedding({
  model: shared.embedder,
  apiKey: builtIn.key,
  baseURL: `${builtIn.url}/v1`,
});

await runFlows({
  async chat() {
    const { message } = await createModel(builtIn).chat({ messages: [{ role: "user", content: "Hello!" }] });
    assertWords(message.content);
  },
  async stream() {
    const messages = [{ role: "user", content: "Hello!" }];
    const { message } = await createModel(builtIn).chat({ messages });
    const parts = await collect(await createModel(builtIn).chat({ messages, stream: true }));
    assert.equal(parts.map(({ delta }) => delta).join(""), message.content);
  },
  async agent() {
    const asked = [];
    const getWeather = tool({
      name: "get_weather",
      description: "Get the weather in a city",
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => {
        asked.push(city);
        return shared.sky;
      },
    });
    const { data } = await agent({ llm: createModel(scripted), tools: [getWeather] }).run(shared.question);
    assert.deepEqual(asked, ["Paris"]);
    assertRepeatsSky(data.result);
  },
  async "structured output"() {
    const schema = z.object({ sunny: z.boolean(), windy: z.boolean() });
    const messages = [{ role: "user", content: shared.question }];
    const { message } = await createModel(builtIn).chat({ messages, responseFormat: schema });
    schema.parse(JSON.parse(message.content));
  },
  async embeddings() {
    assertNear(await embedding.getTextEmbeddingsBatch(shared.threeTexts));
  },
  async retrieval() {
    Settings.llm = createModel(scripted);
    Settings.embedModel = embedding;
    const documents = shared.threeTexts.map((text) => new Document({ text }));
    const index = await VectorStoreIndex.fromDocuments(documents);
    const engine = index.asQueryEngine({ similarityTopK: 1 });
    const answer = await engine.query({ query: "a kitten on a rug" });
    assert.equal(answer.sourceNodes[0].node.text, "a kitten on a rug");
    assertWords(answer.message.content);
  },
});
