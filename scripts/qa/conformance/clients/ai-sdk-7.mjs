/** The AI SDK 7 with all providers that can use Hearth. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createXai } from "@ai-sdk/xai";
import { createOllama } from "ollama-ai-provider-v2";
import {
  createCompatibleSettings,
  createFlows,
  flowsOfModels,
  createOllamaSettings,
  createSettings,
} from "./ai-sdk-flows.mjs";
import { builtIn, runFlows } from "./flows.mjs";

await runFlows({
  ...createFlows("openai", (server) => createOpenAI(createSettings(server))),
  ...createFlows("openai chat", (server) => createOpenAI(createSettings(server)).chat),
  ...flowsOfModels("openai", createOpenAI(createSettings(builtIn))),
  ...createFlows("anthropic", (server) => createAnthropic(createSettings(server))),
  ...createFlows("xai", (server) => createXai(createSettings(server))),
  ...createFlows("compatible", (server) => createOpenAICompatible(createCompatibleSettings(server))),
  ...createFlows("ollama", (server) => createOllama(createOllamaSettings(server))),
});
