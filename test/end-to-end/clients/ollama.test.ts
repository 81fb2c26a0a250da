import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Ollama, type ChatRequest, type Config } from "ollama";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { temporaryFolder } from "../../kit/folder.js";
import { deterministicFileServer, startServer } from "../../kit/server.js";
import { builtInModel, pinnedManagementKey, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { createPulling, ggufOf } from "../../models/hub/pulling.js";
import { imageFile } from "../captions/caption-server.js";
import { collect, greeting, person, place, question, rejection, weather } from "./client-requests.js";

const shared = deterministicFileServer();
const model = builtInModel;
const messages = [{ role: "user", content: greeting }];
const options = { temperature: 0 };

function clientOf(url: string, key: string = testKey, config: Partial<Config> = {}): Ollama {
  return new Ollama({ host: url, headers: { Authorization: `Bearer ${key}` }, ...config });
}
const client = (): Ollama => clientOf(shared().url);

describe("the ollama client", () => {
  it("chats, whole and streamed, with counts and times", async () => {
    const whole = await client().chat({ model, messages, options });
    expect(whole.message.content.length).toBeGreaterThan(1);
    expect(whole).toMatchObject({ model, done: true, done_reason: "stop" });
    expect(whole.total_duration).toBeGreaterThan(whole.eval_duration);
    expect(whole.eval_duration).toBeGreaterThan(0);
    const lines = await collect(await client().chat({ model, messages, options, stream: true }));
    expect(lines.map(({ message }) => message.content).join("")).toBe(whole.message.content);
    expect(lines.at(-1)).toMatchObject({ done: true, eval_count: whole.eval_count });
  });

  it("ends an answer at num_predict and at stop texts", async () => {
    const cut = await client().chat({ model, messages, options: { ...options, num_predict: 2 } });
    expect(cut).toMatchObject({ done_reason: "length", eval_count: 2 });
    const { response = "" } = await client().generate({ model, prompt: greeting, options });
    const stop = response.slice(2, 4);
    const stopped = await client().generate({
      model,
      prompt: greeting,
      options: { ...options, stop: [stop] },
    });
    expect(response.split(stop)[0]).toBe(stopped.response);
  });

  it("penalizes tokens that the answer has already", async () => {
    const asked = { model, messages: [{ role: "user", content: "Count from 1 to 40." }], logprobs: true };
    const limited = { ...options, num_predict: 24 };
    const tokensOf = async (sampling: object): Promise<string[]> => {
      const { logprobs = [] } = await client().chat({ ...asked, options: { ...limited, ...sampling } });
      return logprobs.map(({ token }) => token);
    };
    const free = await tokensOf({});
    expect(new Set(free).size).toBeLessThan(free.length);
    const penalized = await tokensOf({ repeat_penalty: 10 });
    expect(new Set(penalized).size).toBe(penalized.length);
    expect(await tokensOf({ repeat_penalty: 10, repeat_last_n: 0 })).toEqual(free);
  });

  it("gets tool calls with arguments as objects, and answers with their results", async () => {
    const parameters = z.toJSONSchema(place) as { type: "object" };
    const request: ChatRequest = {
      model,
      messages: [{ role: "user", content: question }],
      options,
      tools: [{ type: "function", function: { ...weather, parameters } }],
    };
    for (const stream of [false, true] as const) {
      const lines = stream
        ? await collect(await client().chat({ ...request, stream }))
        : [await client().chat({ ...request, stream })];
      const [call] = lines.flatMap(({ message }) => message.tool_calls ?? []);
      expect(call?.function.name).toBe(weather.name);
      expect(place.parse(call?.function.arguments).city).toBe("Paris");
    }
    const { message } = await client().chat({ ...request, stream: false });
    const result = { role: "tool", tool_name: weather.name, content: '{"sky":"clear"}' };
    const conversation = [...(request.messages ?? []), message, result];
    const answer = await client().chat({ ...request, messages: conversation, stream: false });
    expect(answer.message.content).not.toBe("");
  });

  it("gets an answer of the schema, and JSON", async () => {
    const format = z.toJSONSchema(person);
    const { message } = await client().chat({ model, messages, options, format });
    expect(() => person.parse(JSON.parse(message.content))).not.toThrow();
    const limited = { ...options, num_predict: 200 };
    const { response = "", done_reason } = await client().generate({
      model,
      prompt: "A JSON object",
      options: limited,
      format: "json",
    });
    if (done_reason === "stop") expect(typeof JSON.parse(response)).toBe("object");
    else expect(response).toMatch(/^\s*\{/);
  });

  it("shows images to the model, in chats and prompts", async () => {
    const images = [await imageFile("red")];
    const chat = await client().chat({
      model,
      messages: [{ ...messages[0], role: "user", content: "What is it?", images }],
    });
    const without = await client().chat({ model, messages: [{ role: "user", content: "What is it?" }] });
    expect(chat.prompt_eval_count).toBeGreaterThan(without.prompt_eval_count);
    const prompt = await client().generate({ model, prompt: "What is it?", images });
    expect(prompt.prompt_eval_count).toBeGreaterThan(without.prompt_eval_count);
  });

  it("embeds texts", async () => {
    const embedder = "hearth-embed-1m";
    const { embeddings, prompt_eval_count } = await client().embed({
      model: embedder,
      input: ["a cat", "a dog"],
    });
    const length = (vector: readonly number[]) => Math.hypot(...vector);
    expect(embeddings.map(length)).toEqual([expect.closeTo(1, 5), expect.closeTo(1, 5)]);
    expect(prompt_eval_count).toBeGreaterThan(4);
    const { embedding } = await client().embeddings({ model: embedder, prompt: "a cat" });
    expect(embedding).toEqual(embeddings[0]);
    expect((await client().embed({ model: embedder, input: [] })).embeddings).toEqual([]);
  });

  it("lists, shows and counts models, and the version", async () => {
    const { models } = await client().list();
    expect(models.map(({ name }) => name)).toContain(model);
    const shown = await client().show({ model: `${model}:latest` });
    expect(shown.capabilities).toEqual(expect.arrayContaining(["completion", "tools"]));
    expect(shown).toMatchObject({
      details: { format: "gguf", family: "qwen3", quantization_level: "Q5_0" },
      model_info: { "general.architecture": "qwen3", "tokenizer.ggml.tokens": null },
      template: expect.stringContaining("messages") as string,
    });
    expect((await client().version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("loads a model for a time of its choice, and unloads it", async () => {
    const running = async () => (await client().ps()).models.find(({ name }) => name === model);
    await client().generate({ model, prompt: "", keep_alive: "1h" });
    const { expires_at, context_length } = { context_length: 0, ...(await running()) };
    expect(new Date(expires_at ?? 0).getTime()).toBeGreaterThan(Date.now() + 50 * 60_000);
    expect(context_length).toBeGreaterThan(0);
    await client().generate({ model, prompt: "", keep_alive: 0 });
    await expect.poll(running).toBeUndefined();
  });

  it("gets the message and the status of errors", async () => {
    const error = await rejection(client().chat({ model: "absent", messages }));
    expect(error).toMatchObject({ message: "model 'absent' not found", status_code: 404 });
    expect(await rejection(clientOf(shared().url, "wrong-key-of-nobody").list())).toMatchObject({
      status_code: 401,
    });
  });

  it("that aborts its stream ends the run", async () => {
    const { app } = shared();
    const stream = await client().chat({
      model,
      messages: [{ role: "user", content: "Count from 1 to 900." }],
      options: { num_predict: 1000, stop: [] },
      stream: true,
    });
    const aborted = rejection(collect(stream));
    stream.abort();
    expect(await aborted).toMatchObject({ name: "AbortError" });
    await until(() => app.liveRuns.size === 0);
  });
});

describe("a management key in the ollama client", () => {
  it("pulls a model with progress, and deletes it; an API key does neither", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1024 * 1024) });
    const folder = temporaryFolder();
    const models = join(folder, "models");
    mkdirSync(models);
    const { puller } = createPulling({ HF_ENDPOINT: hub.url }, { models });
    const server = await startServer({
      accounts: "managed",
      openPuller: () => Promise.resolve(puller),
      environment: { HEARTH_MODELS: models },
    });
    const operator = clientOf(server.url, pinnedManagementKey);
    const person = clientOf(server.url, server.apiKey);
    expect(await rejection(person.pull({ model: "acme/tiny:Q4_K_M" }))).toMatchObject({ status_code: 401 });

    const lines = await collect(await operator.pull({ model: "acme/tiny:Q4_K_M", stream: true }));
    expect(lines.at(-1)).toEqual({ status: "success" });
    const downloads = lines.filter(({ digest }) => digest !== undefined);
    expect(downloads.at(-1)?.completed).toBe(downloads.at(-1)?.total);
    const names = async () => (await person.list()).models.map(({ name }) => name);
    const [pulled = ""] = (await names()).filter((name) => name.includes("tiny") && name !== model);
    expect(pulled).not.toBe("");
    expect(await operator.pull({ model: "acme/tiny:Q4_K_M" })).toEqual({ status: "success" });

    expect(await rejection(person.delete({ model: pulled }))).toMatchObject({ status_code: 401 });
    expect(await rejection(operator.delete({ model }))).toMatchObject({ status_code: 409 });
    expect(await operator.delete({ model: pulled })).toEqual({ status: "success" });
    expect(await names()).not.toContain(pulled);
    expect(await rejection(operator.delete({ model: pulled }))).toMatchObject({ status_code: 404 });
  });

  it("gets the reason in a line when a pull fails", async () => {
    const server = await startServer({ accounts: "managed" });
    const operator = clientOf(server.url, pinnedManagementKey);
    const stream = await operator.pull({ model: "acme/tiny", stream: true });
    expect(await rejection(collect(stream))).toMatchObject({ message: "There is no network in the tests." });
    expect(await rejection(operator.pull({ model: "acme/tiny" }))).toMatchObject({
      message: "There is no network in the tests.",
      status_code: 409,
    });
  });
});
