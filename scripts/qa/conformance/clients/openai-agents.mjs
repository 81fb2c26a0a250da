/** OpenAI's Agents SDK, over responses and chat completions. */
import assert from "node:assert/strict";
import { Agent, OpenAIProvider, Runner, handoff, tool } from "@openai/agents";
import { z } from "zod";
import { assertRepeatsSky, assertWords, builtIn, question, runFlows, scripted, sky } from "./flows.mjs";

/** @param {{ url: string, key: string }} server */
function createRunner({ url, key }, useResponses = true) {
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key, useResponses });
  return new Runner({ modelProvider, tracingDisabled: true });
}

function weather() {
  const asked = [];
  const getWeather = tool({
    name: "get_weather",
    description: "Get the weather in a city",
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      asked.push(city);
      return sky;
    },
  });
  return { asked, getWeather };
}

/** @param {boolean} useResponses */
async function runsTools(useResponses) {
  const { asked, getWeather } = weather();
  const agent = new Agent({ name: "Forecaster", model: scripted.model, tools: [getWeather] });
  const result = await createRunner(scripted, useResponses).run(agent, question);
  assert.deepEqual(asked, ["Paris"]);
  assertRepeatsSky(result.finalOutput);
}

await runFlows({
  async prompt() {
    const agent = new Agent({ name: "Greeter", instructions: "Be kind.", model: builtIn.model });
    const result = await createRunner(builtIn).run(agent, "Hello!");
    assertWords(result.finalOutput);
    assert.ok(result.rawResponses[0].usage.outputTokens > 0);
  },
  async stream() {
    const { asked, getWeather } = weather();
    const agent = new Agent({ name: "Forecaster", model: scripted.model, tools: [getWeather] });
    const result = await createRunner(scripted).run(agent, question, { stream: true });
    let text = "";
    for await (const part of result.toTextStream()) text += part;
    await result.completed;
    assert.deepEqual(asked, ["Paris"]);
    assertRepeatsSky(text);
  },
  tools: () => runsTools(true),
  "chat completions": () => runsTools(false),
  async handoff() {
    const { asked, getWeather } = weather();
    const forecaster = new Agent({ name: "Forecaster", model: scripted.model, tools: [getWeather] });
    const desk = new Agent({ name: "Desk", model: scripted.model, handoffs: [handoff(forecaster)] });
    const result = await createRunner(scripted).run(desk, question);
    assert.equal(result.lastAgent.name, "Forecaster");
    assert.deepEqual(asked, ["Paris"]);
    assertRepeatsSky(result.finalOutput);
  },
  async "structured output"() {
    const outputType = z.object({ sunny: z.boolean(), windy: z.boolean() });
    for (const useResponses of [true, false]) {
      const agent = new Agent({ name: "Reporter", model: builtIn.model, outputType });
      const result = await createRunner(builtIn, useResponses).run(agent, question);
      outputType.parse(result.finalOutput);
    }
  },
  async "conversation by id"() {
    const { getWeather } = weather();
    const agent = new Agent({ name: "Forecaster", model: scripted.model, tools: [getWeather] });
    const first = await createRunner(scripted).run(agent, question);
    const previousResponseId = first.lastResponseId;
    const second = await createRunner(scripted).run(agent, "And now?", { previousResponseId });
    assertRepeatsSky(second.finalOutput);
  },
});
