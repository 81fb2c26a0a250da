/** The model nodes of n8n, with the credentials that a person enters: a base URL and a key. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as shared from "./flows.mjs";

const { assertNear, assertWords, builtIn, collect, runFlows } = shared;
const require = createRequire(import.meta.url);
const packages = join(import.meta.dirname, "node_modules/@n8n");
const folder = join(packages, "n8n-nodes-langchain/dist/nodes");
const { passthroughEgressFilter } = require(
  join(packages, "backend-network/dist/ssrf/passthrough-egress-filter.js"),
);

/** What n8n gives a node. @param {object} credentials @param {Record<string, unknown>} parameters @param {number} typeVersion */
const createContext = (credentials, parameters, typeVersion) => ({
  getCredentials: async () => credentials,
  getNode: () => ({ name: "Model", type: "model", typeVersion, parameters: {} }),
  getNodeParameter: (
    /** @type {string} */ name,
    /** @type {number} */ _,
    /** @type {unknown} */ otherwise,
  ) => (name in parameters ? parameters[name] : otherwise),
  getWorkflowSettings: () => ({}),
  addInputData: () => ({ index: 0 }),
  addOutputData: () => undefined,
  getNextRunIndex: () => 0,
  logAiEvent: () => undefined,
  getExecutionCancelSignal: () => undefined,
  logger: console,
  helpers: { getSecureEgressFilter: () => passthroughEgressFilter },
});

/** @param {string} file @param {string} name @param {ReturnType<typeof createContext>} context */
async function supplied(file, name, context) {
  const node = new (require(join(folder, file))[name])();
  return (await node.supplyData.call(context, 0)).response;
}

/** @param {() => Promise<any>} model */
const chats = (model) => async () => {
  const chat = await model();
  assertWords((await chat.invoke("Hello!")).text);
  assertWords((await collect(await chat.stream("Hello!"))).map(({ text }) => text).join(""));
};

const openai = { apiKey: builtIn.key, url: `${builtIn.url}/v1` };
const named = { "model.value": builtIn.model, model: builtIn.model };

await runFlows({
  "openai chat": chats(() =>
    supplied("llms/LMChatOpenAi/LmChatOpenAi.node.js", "LmChatOpenAi", createContext(openai, named, 1.2)),
  ),
  "openai responses": chats(() =>
    supplied(
      "llms/LMChatOpenAi/LmChatOpenAi.node.js",
      "LmChatOpenAi",
      createContext(openai, { ...named, responsesApiEnabled: true }, 1.3),
    ),
  ),
  "anthropic chat": chats(() =>
    supplied(
      "llms/LMChatAnthropic/LmChatAnthropic.node.js",
      "LmChatAnthropic",
      createContext({ apiKey: builtIn.key, url: builtIn.url }, named, 1.3),
    ),
  ),
  "ollama chat": chats(() =>
    supplied(
      "llms/LMChatOllama/LmChatOllama.node.js",
      "LmChatOllama",
      createContext({ apiKey: builtIn.key, baseUrl: builtIn.url }, named, 1),
    ),
  ),
  async "openai embeddings"() {
    const context = createContext(openai, { model: shared.embedder }, 1.2);
    const file = "embeddings/EmbeddingsOpenAI/EmbeddingsOpenAi.node.js";
    const embeddings = await supplied(file, "EmbeddingsOpenAi", context);
    assertNear(await embeddings.embedDocuments(shared.threeTexts));
  },
});
