/** The AI SDK 6 with its providers for compatible servers and for Ollama; `npm test` runs its providers for OpenAI, Anthropic and xAI. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOllama } from "ollama-ai-provider-v2";
import {
  createCompatibleSettings,
  createFlows,
  flowsOfModels,
  createOllamaSettings,
} from "./ai-sdk-flows.mjs";
import { builtIn, runFlows } from "./flows.mjs";

await runFlows({
  ...createFlows("compatible", (server) => createOpenAICompatible(createCompatibleSettings(server))),
  ...flowsOfModels("compatible", createOpenAICompatible(createCompatibleSettings(builtIn))),
  ...createFlows("ollama", (server) => createOllama(createOllamaSettings(server))),
});
