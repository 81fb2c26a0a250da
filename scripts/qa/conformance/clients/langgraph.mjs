/** LangGraph and LangChain's agents over the models of OpenAI, Anthropic and Ollama. */
import assert from "node:assert/strict";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOllama, OllamaEmbeddings } from "@langchain/ollama";
import { ChatOpenAI } from "@langchain/openai";
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import * as shared from "./flows.mjs";

const { assertNear, assertRepeatsSky, assertWords, builtIn, collect, runFlows, scripted } = shared;

/** @typedef {{ url: string, key: string, model: string }} Server */
/** @param {Server} server */
const openai = ({ url, key, model }, more = {}) =>
  new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: `${url}/v1` }, ...more });
/** @param {Server} server */
const responses = (server) => openai(server, { useResponsesApi: true });
/** @param {Server} server */
const anthropic = ({ url, key, model }) =>
  new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: url, maxTokens: 200 });
/** @param {Server} server */
const ollama = ({ url, key, model }) =>
  new ChatOllama({ model, baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

/** @param {(server: Server) => unknown} createModel */
async function runsAgent(createModel) {
  const asked = [];
  const getWeather = tool(
    ({ city }) => {
      asked.push(city);
      return shared.sky;
    },
    {
      name: "get_weather",
      description: "Get the weather in a city",
      schema: z.object({ city: z.string() }),
    },
  );
  const agent = createAgent({ model: createModel(scripted), tools: [getWeather] });
  const messages = [{ role: "user", content: shared.question }];
  const result = await agent.invoke({ messages });
  assert.deepEqual(asked, ["Paris"]);
  assertRepeatsSky(result.messages.at(-1).text);
  const streamed = await collect(await agent.stream({ messages }, { streamMode: "messages" }));
  assertRepeatsSky(streamed.map(([message]) => (message.getType() === "ai" ? message.text : "")).join(""));
}

await runFlows({
  "agent, chat completions": () => runsAgent(openai),
  "agent, responses": () => runsAgent(responses),
  "agent, anthropic": () => runsAgent(anthropic),
  "agent, ollama": () => runsAgent(ollama),
  async "ollama chat and stream"() {
    const model = ollama(builtIn);
    assertWords((await model.invoke("Hello!")).text);
    assertWords((await collect(await model.stream("Hello!"))).map(({ text }) => text).join(""));
  },
  async "ollama embeddings"() {
    const headers = { Authorization: `Bearer ${builtIn.key}` };
    const embeddings = new OllamaEmbeddings({ model: shared.embedder, baseUrl: builtIn.url, headers });
    assertNear(await embeddings.embedDocuments(shared.threeTexts));
  },
  async "structured output"() {
    const schema = z.object({ sunny: z.boolean(), windy: z.boolean() });
    for (const createModel of [openai, responses, anthropic, ollama])
      schema.parse(await createModel(builtIn).withStructuredOutput(schema).invoke(shared.question));
  },
  async "graph with memory"() {
    const State = Annotation.Root({
      turns: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    });
    const graph = new StateGraph(State)
      .addNode("answer", async ({ turns }) => {
        const { text } = await openai(builtIn, { temperature: 0 }).invoke(turns.join("\n"));
        return { turns: [text] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "one" } };
    await graph.invoke({ turns: ["Hello!"] }, config);
    const { turns } = await graph.invoke({ turns: ["And then?"] }, config);
    assert.equal(turns.length, 4);
    assertWords(turns[1]);
    assertWords(turns[3]);
  },
});
