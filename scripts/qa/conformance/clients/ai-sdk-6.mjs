/** The AI SDK 6 with its providers for compatible servers and for Ollama; `npm test` runs those of OpenAI, Anthropic and xAI. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOllama } from "ollama-ai-provider-v2";
import { compatibleSettingsOf, flowsOf, flowsOfModels, ollamaSettingsOf } from "./ai-sdk-flows.mjs";
import { builtIn, runFlows } from "./flows.mjs";

await runFlows({
  ...flowsOf("compatible", (server) => createOpenAICompatible(compatibleSettingsOf(server))),
  ...flowsOfModels("compatible", createOpenAICompatible(compatibleSettingsOf(builtIn))),
  ...flowsOf("ollama", (server) => createOllama(ollamaSettingsOf(server))),
});
