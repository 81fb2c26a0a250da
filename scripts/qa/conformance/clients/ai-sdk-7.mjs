/** The AI SDK 7 with all providers that can use Hearth. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createXai } from "@ai-sdk/xai";
import { createOllama } from "ollama-ai-provider-v2";
import {
  compatibleSettingsOf,
  flowsOf,
  flowsOfModels,
  ollamaSettingsOf,
  settingsOf,
} from "./ai-sdk-flows.mjs";
import { builtIn, runFlows } from "./flows.mjs";

await runFlows({
  ...flowsOf("openai", (server) => createOpenAI(settingsOf(server))),
  ...flowsOf("openai chat", (server) => createOpenAI(settingsOf(server)).chat),
  ...flowsOfModels("openai", createOpenAI(settingsOf(builtIn))),
  ...flowsOf("anthropic", (server) => createAnthropic(settingsOf(server))),
  ...flowsOf("xai", (server) => createXai(settingsOf(server))),
  ...flowsOf("compatible", (server) => createOpenAICompatible(compatibleSettingsOf(server))),
  ...flowsOf("ollama", (server) => createOllama(ollamaSettingsOf(server))),
});
