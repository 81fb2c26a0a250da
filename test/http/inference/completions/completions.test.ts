import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";

const hello = { model: "ember-1m", prompt: "Once upon a time" };

/** Answers with the prompt in capitals, so that each choice shows its prompt. */
const shout = (prompt: string): string[] => [...prompt.toUpperCase().split(/(?= )/), "!"];

const shared = fileServer({ engine: shout });

function clientOf(server: ScriptedServer): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
}

function complete(server: ScriptedServer, fields: object, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/completions`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify({ ...hello, ...fields }),
  });
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/openai-completions/${name}`, import.meta.url), "utf8");
}

const unstreamed = { ...hello, stream: false } as const;

describe("POST /v1/completions on the wire", () => {
  it("streams the recorded transcript byte for byte", async () => {
    const server = await startServer({ engine: () => ["there", " was."] });
    const response = await complete(server, { stream: true, stream_options: { include_usage: true } });
    expect(await response.text()).toBe(fixture("http-stream.txt"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
  });

  it("returns the recorded JSON", async () => {
    const server = await startServer({ engine: () => ["there", " was."] });
    const response = await complete(server, { model: "ember-1m" });
    expect(await response.text()).toBe(JSON.stringify(JSON.parse(fixture("http-completion.json"))));
  });

  it("records the usage", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: shout });
    const running = server.nextRun();
    await complete(server, { prompt: ["one", "two three"], n: 2 });
    await (
      await running
    ).finished;
    expect(await server.records()).toMatchObject([
      { endpoint: "/v1/completions", state: "completed", usage: { promptTokens: 3, completionTokens: 10 } },
    ]);
  });
});

describe("the official OpenAI client's completions", () => {
  it("number the choices of several prompts, grouped by prompt", async () => {
    const server = await startServer({ engine: shout, slots: 3 });
    const { choices, usage } = await clientOf(server).completions.create({
      ...unstreamed,
      prompt: ["one", "two", "three"],
      n: 2,
    });
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, "ONE!"],
      [1, "ONE!"],
      [2, "TWO!"],
      [3, "TWO!"],
      [4, "THREE!"],
      [5, "THREE!"],
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 12, total_tokens: 15 });
  });

  it("stream several choices concurrently, each to its own end", async () => {
    const stream = await clientOf(shared()).completions.create({
      ...hello,
      prompt: ["one two", "three"],
      echo: true,
      stream: true,
    });
    const texts = ["", ""];
    const ends: (string | null)[] = [null, null];
    for await (const chunk of stream)
      for (const { index, text, finish_reason: finish } of chunk.choices) {
        expect(ends[index]).toBeNull();
        texts[index] += text;
        ends[index] = finish;
      }
    expect(texts).toEqual(["one twoONE TWO!", "threeTHREE!"]);
    expect(ends).toEqual(["stop", "stop"]);
  });

  it("have the same seeds for a prompt alone and among others", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: shout });
    const send = (prompt: string[]) =>
      clientOf(server).completions.create({ ...unstreamed, prompt, n: 2, seed: 7 });
    await send(["one", "two"]);
    await send(["two"]);
    const seeds = server.engine.jobs.map(({ sampling }) => sampling.seed).sort();
    expect(seeds).toEqual([7, 7, 7, 8, 8, 8]);
  });

  it("begin with the prompt with echo: true, and do not count it as completion", async () => {
    const { choices, usage } = await clientOf(shared()).completions.create({
      ...unstreamed,
      echo: true,
      n: 2,
    });
    expect(choices.map(({ text }) => text)).toEqual(
      Array.from({ length: 2 }, () => "Once upon a timeONCE UPON A TIME!"),
    );
    expect(usage?.completion_tokens).toBe(10);
  });

  it("accept the token ids of tokenize-text as a prompt", async () => {
    const server = shared();
    const response = await fetch(`${server.url}/v1/tokenize-text`, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", text: "once more" }),
    });
    const { token_ids: tokens } = (await response.json()) as { token_ids: { token_id: number }[] };
    const prompt = tokens.map(({ token_id: id }) => id);
    const { choices } = await clientOf(server).completions.create({ ...unstreamed, prompt, echo: true });
    expect(choices[0]?.text).toBe("once moreONCE MORE!");
  });

  it("accept a suffix", async () => {
    const server = await startServer({ engine: (prompt) => [prompt] });
    const { choices } = await clientOf(server).completions.create({ ...unstreamed, suffix: " the end." });
    expect(choices[0]?.text).toBe("Once upon a time[gap] the end.");
  });

  it("end after sixteen tokens by default", async () => {
    const server = await startServer({ engine: () => Array.from({ length: 20 }, () => " x") });
    const { choices } = await clientOf(server).completions.create(unstreamed);
    expect(choices[0]).toMatchObject({ finish_reason: "length", text: " x".repeat(16) });
  });

  it("return the most likely of several with best_of, and count them all", async () => {
    let drawn = 0;
    const server = await startServer({
      engine: () => {
        const text = `answer${++drawn}`;
        const logprobs = [{ text, bytes: [...Buffer.from(text)], logprob: drawn === 2 ? -1 : -5, top: [] }];
        return [{ type: "text-delta", choice: 0, text, tokens: 1, logprobs }];
      },
      slots: 1,
    });
    const { choices, usage } = await clientOf(server).completions.create({ ...unstreamed, best_of: 3 });
    expect(choices).toEqual([{ index: 0, text: "answer2", logprobs: null, finish_reason: "stop" }]);
    expect(usage?.completion_tokens).toBe(3);
  });

  it("free every slot at once when the client disconnects in mid-stream", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened] });
    const running = server.nextRun();
    const stream = await clientOf(server).completions.create({ ...hello, n: 2, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.text === "Good") break;
    await (
      await running
    ).finished;
    expect([server.engine.active, server.scheduler.load.running]).toEqual([0, 0]);
    expect((await server.records())[0]?.state).toBe("aborted");
  });

  it("raise an error for a failure in mid-stream", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const stream = await clientOf(server).completions.create({ ...hello, stream: true });
    const read = async () => {
      for await (const chunk of stream) expect(chunk.object).toBe("text_completion");
    };
    await expect(read()).rejects.toThrow("An internal error occurred.");
  });
});

describe("a completion", () => {
  it.each<[string, object, string, number, string]>([
    ["without the ACL", {}, keys.bob, 403, "api-key:endpoint:sample"],
    ["of an unknown model", { model: "gpt-x" }, keys.ada, 404, "model_not_found"],
    ["of an unusable model", { model: "broken-1m" }, keys.ada, 503, "model_unavailable"],
    ["without a prompt", { prompt: null }, keys.ada, 422, '"param":"prompt"'],
    ["with echoed log probabilities", { echo: true, logprobs: 1 }, keys.ada, 400, '"param":"echo"'],
    [
      "with too long a prompt",
      { prompt: "word ".repeat(300) },
      keys.ada,
      400,
      '"param":"prompt","code":"context_length_exceeded"',
    ],
  ])("%s is rejected, streamed or not", async (_case, fields, key, status, contains) => {
    const server = shared();
    for (const stream of [false, true]) {
      const response = await complete(server, { ...fields, stream }, key);
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(contains);
    }
  });
});
