/** A model on a true llama-server whose folder here has the files of its tokenizer, and no GGUF file. */
import { join } from "node:path";
import { describe, expect } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import {
  itWithLlamaServer as it,
  startLlamaServer,
  withoutLlamaServer,
} from "../../kit/doubles/llama-server/start.js";
import { builtInFiles, writeFiles } from "../../models/remote/tokenizer-files.js";
import { firstChoice, requestJson, requestStream } from "../../kit/clients/chat-answers.js";
import { contextTokens, modelFile } from "./placed.js";

const id = "team/tiny";
const local = fileServer();
const remote = fileServer(async (finished) => {
  if (withoutLlamaServer !== "") return {};
  const { url } = await startLlamaServer(modelFile, { contextTokens }, finished);
  const models = temporaryFolder(finished);
  writeFiles(join(models, id), await builtInFiles());
  const engines = [{ kind: "llama-server", url, models: [id] }];
  return { environment: { HEARTH_MODELS: models, HEARTH_ENGINES: JSON.stringify(engines) } };
});

const question = [{ role: "user", content: "What is the weather in Oslo? Naïve 你好 🙂" }];
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const schema = { type: "object", properties: { mood: { enum: ["glad", "sad"] } }, required: ["mood"] };

function withoutIds(choice: object): string {
  return JSON.stringify(choice).replaceAll(/"call_\w+"/g, '"call"');
}

describe(`a model without a GGUF file${withoutLlamaServer}`, () => {
  it.each([
    ["a greeting", {}],
    ["reasoning and an answer", { reasoning_effort: "low" }],
    ["a required call", { messages: question, tools: [weather], tool_choice: "required", max_tokens: 80 }],
    [
      "an answer with a schema",
      { response_format: { type: "json_schema", json_schema: { name: "s", schema } }, max_tokens: 60 },
    ],
  ])("answers as the same model does from its GGUF file, whole and streamed: %s", async (_, fields) => {
    const request = { temperature: 0, ...fields };
    const here = await requestJson(local(), { ...request, model: builtInModel });
    for (const there of [
      await requestJson(remote(), { ...request, model: id }),
      await requestStream(remote(), { ...request, model: id }),
    ]) {
      expect(withoutIds(firstChoice(there))).toBe(withoutIds(firstChoice(here)));
      expect(there.usage?.prompt_tokens).toBe(here.usage?.prompt_tokens);
      expect(there.usage?.completion_tokens).toBe(here.usage?.completion_tokens);
    }
  });
});
