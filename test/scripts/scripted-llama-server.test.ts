/** The server by which `npm run conformance -- --engine llama-server` runs scripted models. */
import { expect, it } from "vitest";
import { forecaster } from "../../scripts/qa/conformance/model.js";
import { startScriptedLlamaServer } from "../../scripts/qa/conformance/engine/scripted-llama-server.js";
import { contextTokens, enginesOf, modelFile } from "../end-to-end/remote/placed.js";
import { fileServer } from "../kit/server.js";
import { builtInModel } from "../kit/server/settings.js";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
} as const;
const question = { role: "user", content: "What is the weather in Paris?" } as const;

const app = fileServer(async (finished) => {
  const engine = await startScriptedLlamaServer(modelFile, forecaster, { contextTokens, slots: 2 });
  finished(() => engine.close());
  return { environment: { HEARTH_ENGINES: enginesOf(engine.url) } };
});

it("answers by a script through the tokens, grammars and parsers of a remote engine, a call and what follows its result", async () => {
  const { client } = app();
  const request = { model: builtInModel, tools: [weather] };
  const first = await client.chat.completions.create({ ...request, messages: [question] });
  const [call] = first.choices[0]?.message.tool_calls ?? [];
  expect(call).toMatchObject({ function: { name: "get_weather", arguments: '{"city":"Paris"}' } });
  const second = await client.chat.completions.create({
    ...request,
    messages: [
      question,
      { role: "assistant", tool_calls: call === undefined ? [] : [call] },
      { role: "tool", tool_call_id: call?.id ?? "", content: "clear sky" },
    ],
  });
  expect(second.choices[0]?.message.content).toBe("Greetings from the scripted model. clear sky");
  expect(second.usage?.prompt_tokens).toBeGreaterThan(first.usage?.prompt_tokens ?? 0);
});
