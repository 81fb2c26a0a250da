import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import type { Script } from "../../kit/scripted/engine.js";
import { type ScriptedServer, type ScriptedSettings, startServer, fileServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const messages = [{ role: "user", content: "Hello" }];
const say: Script = () => ["Good", " day."];

const shared = fileServer({ engine: say });

type Line = Readonly<Record<string, unknown>> & {
  readonly message?: Readonly<Record<string, unknown>>;
  readonly response?: string;
};

function send(
  { url }: ScriptedServer,
  path: string,
  body: object,
  key: string = keys.ada,
): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify({ model: "ember-1m", ...body }),
  });
}

async function whole(script: Script, path: string, body: object, options: ScriptedSettings = {}) {
  const server = await startServer({ engine: script, ...options });
  const response = await send(server, path, { ...body, stream: false });
  return { server, response, answer: (await response.json()) as Line };
}

async function linesOf(response: Response): Promise<Line[]> {
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

describe("POST /api/chat", () => {
  it("streams lines by default, the last with counts and times in nanoseconds", async () => {
    const response = await send(shared(), "/api/chat", { messages });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const lines = await linesOf(response);
    expect(lines.slice(0, -1).map(({ message, done }) => [message?.["content"], done])).toEqual([
      ["Good", false],
      [" day.", false],
    ]);
    const count = expect.any(Number) as number;
    expect(lines.at(-1)).toEqual({
      model: "ember-1m",
      created_at: "2026-11-21T08:00:01.000Z",
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
      total_duration: count,
      load_duration: count,
      prompt_eval_count: 3,
      prompt_eval_duration: count,
      eval_count: 2,
      eval_duration: count,
    });
  });

  it("answers with one object with stream: false, by a name with :latest, which it repeats", async () => {
    const { answer } = await whole(say, "/api/chat", { model: "ember:latest", messages });
    expect(answer).toMatchObject({ model: "ember:latest", message: { content: "Good day." }, done: true });
  });

  it("is a run: recorded and charged as any other", async () => {
    const { server, response } = await whole(say, "/api/chat", { messages });
    expect(await server.records()).toMatchObject([
      { endpoint: "/api/chat", apiKeyId: "key-of-ada", state: "completed" },
    ]);
    expect(response.headers.get("x-hearth-cost-ticks")).toBe("100");
  });

  it("maps its options to sampling, and ignores those of the loader", async () => {
    const options = {
      num_predict: 7,
      temperature: 0.5,
      top_k: 40,
      top_p: 0.9,
      min_p: 0.05,
      seed: 42,
      stop: ["x", "y"],
      repeat_penalty: 1.1,
      repeat_last_n: -1,
      presence_penalty: 0.5,
      frequency_penalty: 0.25,
      num_ctx: 4096,
      num_gpu: 1,
      num_thread: 2,
      invented: true,
    };
    const { server } = await whole(say, "/api/chat", { messages, options });
    expect(server.engine.jobs[0]).toMatchObject({
      maxTokens: 7,
      stop: ["x", "y"],
      sampling: {
        temperature: 0.5,
        topK: 40,
        topP: 0.9,
        minP: 0.05,
        seed: 42,
        repeatPenalty: 1.1,
        presencePenalty: 0.5,
        frequencyPenalty: 0.25,
      },
    });
    expect(server.engine.jobs[0]?.sampling.penaltyTokens).toBeNull();
  });

  it.each([
    [{ options: { temperature: "hot" } }, "options.temperature: must be a number"],
    [{ options: { top_k: -2 } }, "options.top_k: must be between -1 and 2147483647"],
    [{ keep_alive: "soon" }, "keep_alive: must be seconds, or a time such as '5m', '1h30m' or '-1'"],
    [{ format: "yaml" }, "format: must be 'json' or a JSON Schema"],
    [{ messages: [{ role: "robot" }] }, "messages.0.role: must be one of system, user, assistant, tool"],
    [{ messages: [{ role: "user", images: ["x"] }] }, "messages.0.images.0"],
    [{ messages: undefined, top_logprobs: 2 }, null],
    [{ top_logprobs: 2 }, "top_logprobs: is only allowed together with logprobs: true"],
  ])("refuses %j by the name of the field", async (body, error) => {
    const { response, answer } = await whole(say, "/api/chat", { messages, ...body });
    if (error === null) return expect(response.status).toBe(200);
    expect([response.status, answer["error"]]).toEqual([400, expect.stringContaining(error)]);
  });

  it("shows reasoning as thinking", async () => {
    const thinking: GenerationEvent = { type: "reasoning-delta", choice: 0, text: "Hm.", tokens: 1 };
    const { answer } = await whole(() => [thinking, "Yes."], "/api/chat", { messages, think: true });
    expect(answer.message).toEqual({ role: "assistant", content: "Yes.", thinking: "Hm." });
  });

  it("continues a text of the assistant at the end", async () => {
    const prompts: string[] = [];
    const script: Script = (prompt) => {
      prompts.push(prompt);
      return [" day."];
    };
    const body = { messages: [...messages, { role: "assistant", content: "Good" }] };
    const { answer } = await whole(script, "/api/chat", body);
    expect(answer.message?.["content"]).toBe(" day.");
    expect(prompts[0]?.endsWith("Good")).toBe(true);
  });

  it("returns log probabilities when they are asked for", async () => {
    const logprobs = [
      { text: "Yes", bytes: [89, 101, 115], logprob: -0.5, top: [{ text: "No", bytes: [78], logprob: -1 }] },
    ];
    const script: Script = () => [{ type: "text-delta", choice: 0, text: "Yes", tokens: 1, logprobs }];
    const { answer } = await whole(script, "/api/chat", { messages, logprobs: true, top_logprobs: 1 });
    expect(answer["logprobs"]).toEqual([
      {
        token: "Yes",
        logprob: -0.5,
        bytes: [89, 101, 115],
        top_logprobs: [{ token: "No", logprob: -1, bytes: [78] }],
      },
    ]);
  });

  it("only loads the model without messages, and unloads it with keep_alive 0", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    const loaded = await send(server, "/api/chat", { messages: [] });
    expect(await loaded.json()).toMatchObject({ done: true, done_reason: "load", message: { content: "" } });
    const unloaded = await send(server, "/api/chat", { keep_alive: 0 });
    expect(await unloaded.json()).toMatchObject({ done_reason: "unload" });
    expect([server.engine.loaded, server.engine.leases]).toEqual([["ember-1m"], 0]);
    expect(await server.records()).toEqual([]);
  });

  it("ends a stream that fails with a line that has the error", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const lines = await linesOf(await send(server, "/api/chat", { messages }));
    expect(lines.at(-1)).toEqual({ error: "An internal error occurred." });
  });

  it("refuses a prompt that does not fit, and drops the oldest messages with truncate", async () => {
    const long = { role: "user", content: "word ".repeat(300) };
    const { response, answer } = await whole(say, "/api/chat", { messages: [long, ...messages] });
    expect([response.status, answer["error"]]).toEqual([400, expect.stringContaining("255")]);
    const cut = await whole(say, "/api/chat", { messages: [long, ...messages], truncate: true });
    expect(cut.response.status).toBe(200);
  });
});

describe("POST /api/generate", () => {
  it("streams lines by default", async () => {
    const lines = await linesOf(await send(shared(), "/api/generate", { prompt: "Hello" }));
    expect(lines.map(({ response, done }) => [response, done])).toEqual([
      ["Good", false],
      [" day.", false],
      ["", true],
    ]);
  });

  it("answers as a chat does, with a system message", async () => {
    const prompts: string[] = [];
    const script: Script = (prompt) => {
      prompts.push(prompt);
      return ["Yes."];
    };
    const { answer } = await whole(script, "/api/generate", { prompt: "Is it?", system: "Be short." });
    expect(answer).toMatchObject({ response: "Yes.", done_reason: "stop", eval_count: 1 });
    expect(prompts).toEqual([expect.stringMatching(/system: Be short\.\n.*user: Is it\?/s)]);
  });

  it.each([
    ["continues a raw prompt", { raw: true, prompt: "Once upon" }, "Once upon"],
    ["fills a gap", { prompt: "def f(", suffix: "return 1" }, "def f([gap]return 1"],
  ])("%s", async (_, body, expected) => {
    const prompts: string[] = [];
    const script: Script = (prompt) => {
      prompts.push(prompt);
      return ["x"];
    };
    await whole(script, "/api/generate", body);
    expect(prompts).toEqual([expected]);
  });

  it.each([
    [{ template: "{{ .Prompt }}" }, "template: templates in requests are not supported by this server"],
    [{ context: [1, 2] }, "context: the tokens of earlier answers are not supported by this server"],
    [
      { raw: true, system: "x" },
      "system: system messages together with raw are not supported by this server",
    ],
    [{ suffix: "x", think: true }, "think: thinking together with a suffix is not supported by this server"],
  ])("refuses %j by the name of the field", async (body, error) => {
    const { response, answer } = await whole(say, "/api/generate", { prompt: "Hello", ...body });
    expect([response.status, answer]).toEqual([400, { error }]);
  });

  it("accepts an empty context and template, which clients send", async () => {
    const { response } = await whole(say, "/api/generate", { prompt: "Hello", template: "", context: [] });
    expect(response.status).toBe(200);
  });
});

describe("an unknown model", () => {
  it("is a 404 in Ollama's words", async () => {
    const { response, answer } = await whole(say, "/api/chat", { model: "absent", messages });
    expect([response.status, answer]).toEqual([404, { error: "model 'absent' not found" }]);
  });
});
