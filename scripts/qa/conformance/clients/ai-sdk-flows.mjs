/** The flows of a provider of the AI SDK, for each major version of it. */
import assert from "node:assert/strict";
import { embedMany, generateImage, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import * as shared from "./flows.mjs";

const { assertNear, assertRepeatsSky, builtIn, scripted } = shared;

/** @typedef {{ url: string, key: string, model: string }} Server */

/**
 * @param {string} name begins the names of the flows
 * @param {(server: Server) => (model: string) => unknown} provider returns the models of a server
 */
export function createFlows(name, provider) {
  const model = provider(builtIn)(builtIn.model);
  const settings = { model, temperature: 0, maxRetries: 0, prompt: "Hello!" };
  return {
    async [`${name} text`]() {
      const whole = await generateText(settings);
      shared.assertWords(whole.text);
      const streamed = streamText(settings);
      assert.equal(await streamed.text, whole.text);
      assert.equal((await streamed.usage).outputTokens, whole.usage.outputTokens);
      assert.ok(whole.usage.outputTokens > 0);
    },
    async [`${name} tools`]() {
      const asked = [];
      const getWeather = tool({
        description: "Get the weather in a city",
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          asked.push(city);
          return shared.sky;
        },
      });
      const request = {
        model: provider(scripted)(scripted.model),
        tools: { get_weather: getWeather },
        stopWhen: stepCountIs(3),
        prompt: shared.question,
        maxRetries: 0,
      };
      assertRepeatsSky((await generateText(request)).text);
      assertRepeatsSky(await streamText(request).text);
      assert.deepEqual(asked, ["Paris", "Paris"]);
    },
    async [`${name} structured output`]() {
      const schema = z.object({ sunny: z.boolean(), windy: z.boolean() });
      schema.parse((await generateObject({ ...settings, schema, prompt: shared.question })).object);
    },
    async [`${name} error`]() {
      const wrong = provider(builtIn)("absent-model");
      await shared.assertFails(generateText({ ...settings, model: wrong }), /absent-model|Not Found/);
    },
  };
}

/** The flows of OpenAI's providers that are not about text. @param {string} name @param {any} provider */
export function flowsOfModels(name, provider) {
  return {
    async [`${name} embeddings`]() {
      const model = provider.textEmbeddingModel(shared.embedder);
      assertNear((await embedMany({ model, values: shared.threeTexts })).embeddings);
    },
    async [`${name} images`]() {
      const model = provider.imageModel("hearth-painter-3m");
      const { image } = await generateImage({ model, prompt: "a red circle on white" });
      assert.ok(image.uint8Array.length > 500);
    },
  };
}

/** Settings of a server for the providers of OpenAI, Anthropic and xAI. @param {Server} server */
export const createSettings = ({ url, key }) => ({ baseURL: `${url}/v1`, apiKey: key });

/** Settings of a server for a provider of compatible servers. @param {Server} server */
export const createCompatibleSettings = (server) => ({
  ...createSettings(server),
  name: "hearth",
  includeUsage: true,
  supportsStructuredOutputs: true,
});

/** Settings of a server for the provider of Ollama. @param {Server} server */
export const createOllamaSettings = ({ url, key }) => ({
  baseURL: `${url}/api`,
  headers: { Authorization: `Bearer ${key}` },
});
