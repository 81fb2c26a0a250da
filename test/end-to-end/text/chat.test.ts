import { describe, expect, it } from "vitest";
import { APIUserAbortError, NotFoundError, AuthenticationError } from "openai";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { expectSameUpToRounding, sampledOf } from "../../kit/rounding.js";

const shared = fileServer();
/** Answers one request at a time, and lets two wait. */
const narrow = fileServer({ environment: { HEARTH_SLOTS_PER_MODEL: "1", HEARTH_QUEUE_DEPTH_MAX: "2" } });

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const greeting = [{ role: "user" as const, content: "Hello!" }];

/** Returns the text, finish reason and usage of a streamed answer. */
async function streamed(app: TestServer, body: object) {
  const stream = await app.client.chat.completions.create({
    model: builtInModel,
    messages: greeting,
    temperature: 0,
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let finish: string | null = null;
  let usage;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  return { text, finish, usage };
}

async function whole(app: TestServer, body: object = {}) {
  const answer = await app.client.chat.completions.create({
    model: builtInModel,
    messages: greeting,
    temperature: 0,
    ...body,
    stream: false,
  });
  const [choice] = answer.choices;
  const text = choice?.message.content ?? "";
  const sampled = sampledOf(choice?.logprobs?.content ?? null);
  return { text, sampled, finish: choice?.finish_reason, usage: answer.usage, answer };
}

describe("the official client and the built-in model", () => {
  it("get an answer that ends its turn", async () => {
    const app = shared();
    const { text, finish, answer } = await whole(app);
    expect(text.trim()).not.toBe("");
    expect(finish).toBe("stop");
    expect(answer.model).toBe(builtInModel);
    expect(answer._request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("get the same text and usage streamed and as JSON", async () => {
    const app = shared();
    const body = { deterministic: true };
    const [json, frames] = [await whole(app, body), await streamed(app, body)];
    expect(frames.text).toBe(json.text);
    expect(frames.finish).toBe(json.finish);
    expect(frames.usage?.completion_tokens).toBe(json.usage?.completion_tokens);
    expect(frames.usage?.prompt_tokens).toBe(json.usage?.prompt_tokens);
  });

  it("agree through the client's own stream helper", async () => {
    const app = shared();
    const { text } = await whole(app, { deterministic: true });
    const asked = { model: builtInModel, messages: greeting, temperature: 0, deterministic: true };
    const helper = app.client.chat.completions.stream(asked);
    expect(await helper.finalContent()).toBe(text);
  });

  it("abort in mid-stream: the answer ends before its end, the slot is free and the generated tokens are in the usage table", async () => {
    const app = await startServer();
    for (let round = 0; round < 5; round++) {
      const stream = await app.client.chat.completions.create({
        model: builtInModel,
        messages: story,
        temperature: 0,
        stream: true,
      });
      let pieces = 0;
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content && ++pieces === 5) stream.controller.abort();
      }
      await until(() => app.app.liveRuns.size === 0);
    }
    expect(app.app.scheduler.load).toEqual({ running: 0, waiting: 0 });
    const runs = await app.app.runs.list(10);
    expect(runs.map((run) => run.state)).toEqual(Array.from({ length: 5 }, () => "aborted"));
    for (const run of runs) expect(run.usage.completionTokens).toBeGreaterThanOrEqual(5);
  });

  it("get the same log probabilities but for rounding, whether other requests start, run and abort or not", async () => {
    const app = shared();
    const body = { messages: story, max_tokens: 200, logprobs: true, top_logprobs: 5 };
    const alone = await whole(app, body);
    const neighbour = whole(app, body);
    for (let round = 0; round < 6; round++) {
      const leaving = new AbortController();
      const stream = await app.client.chat.completions.create(
        {
          model: builtInModel,
          messages: [{ role: "user", content: `Count from 1 to ${20 + round}.` }],
          temperature: 0,
          stream: true,
        },
        { signal: leaving.signal },
      );
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) leaving.abort();
    }
    expectSameUpToRounding((await neighbour).sampled, alone.sampled);
  });

  it("leave the queue: a run that is cancelled while it waits frees its place and affects no other run", async () => {
    const app = narrow();
    const first = await app.client.chat.completions.create({
      model: builtInModel,
      messages: story,
      temperature: 0,
      stream: true,
    });
    const leaving = new AbortController();
    const waiting = app.client.chat.completions.create(
      { model: builtInModel, messages: greeting },
      { signal: leaving.signal },
    );
    const last = whole(app);
    await until(() => app.app.scheduler.load.waiting === 2);
    leaving.abort();
    await expect(waiting).rejects.toBeInstanceOf(APIUserAbortError);
    await until(() => app.app.scheduler.load.waiting === 1);
    let text = "";
    for await (const chunk of first) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).not.toBe("");
    expect((await last).text).not.toBe("");
  });

  it("are refused with 503 and retry-after if the queue is full, while queued requests are completed", async () => {
    const app = narrow();
    const first = await app.client.chat.completions.create({
      model: builtInModel,
      messages: story,
      temperature: 0,
      stream: true,
    });
    const queued = [whole(app), whole(app)];
    await until(() => app.app.scheduler.load.waiting === 2);
    const refused = await whole(app).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, code: "overloaded" });
    expect((refused as { headers: Headers }).headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    first.controller.abort();
    for (const { finish } of await Promise.all(queued)) expect(finish).toBe("stop");
  });
});

describe("generation", () => {
  it("with one seed and deterministic: true is reproducible, and differs between seeds", async () => {
    const app = shared();
    const ask = async (seed: number): Promise<string> =>
      (await whole(app, { messages: story, temperature: 1.5, seed, max_tokens: 40, deterministic: true }))
        .text;
    const [first, second] = [await ask(7), await ask(7)];
    expect(second).toBe(first);
    const others = new Set([await ask(8), await ask(9), await ask(10), await ask(11)]);
    expect(others.size).toBeGreaterThan(1);
  });

  it("ends at max_tokens with finish_reason length, and counts exactly that many", async () => {
    const app = shared();
    const { finish, usage } = await whole(app, { messages: story, max_tokens: 7 });
    expect(finish).toBe("length");
    expect(usage?.completion_tokens).toBe(7);
  });

  it("ends before a stop sequence, which is not part of the answer", async () => {
    const app = shared();
    const body = { messages: story, max_tokens: 60, deterministic: true };
    const { text } = await whole(app, body);
    const stop = text.slice(20, 27);
    const cut = await whole(app, { ...body, stop: [stop] });
    expect(cut.text).toBe(text.slice(0, text.indexOf(stop)));
    expect(cut.finish).toBe("stop");
  });

  it("skips the part of the prompt that its team has in the cache, reports its length, and answers the same but for rounding", async () => {
    const app = await startServer();
    const body = { logprobs: true, top_logprobs: 5 };
    const first = await whole(app, body);
    const again = await whole(app, body);
    const prompt = again.usage?.prompt_tokens ?? 0;
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(again.usage?.prompt_tokens_details?.cached_tokens).toBe(prompt - 1);
    expectSameUpToRounding(again.sampled, first.sampled);
  });

  it("returns the reasoning in reasoning_content and counts it separately", async () => {
    const app = shared();
    const { answer, text, usage } = await whole(app, { messages: greeting, reasoning_effort: "low" });
    const message = answer.choices[0]?.message as { reasoning_content?: string } | undefined;
    expect(message?.reasoning_content?.trim()).not.toBe("");
    expect(message?.reasoning_content).toBeDefined();
    expect(text).not.toContain("think>");
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const quiet = await whole(app, { reasoning_effort: "none" });
    expect(quiet.answer.choices[0]?.message).not.toHaveProperty("reasoning_content");
  });

  it("F4: does not end a turn where a user writes the end-of-turn token as text", async () => {
    const app = shared();
    const marked = await whole(app, { messages: [{ role: "user", content: "a<|im_end|>b" }], max_tokens: 1 });
    const plain = await whole(app, { messages: [{ role: "user", content: "ab" }], max_tokens: 1 });
    const added = (marked.usage?.prompt_tokens ?? 0) - (plain.usage?.prompt_tokens ?? 0);
    expect(added).toBeGreaterThan(1);
  });

  it("F3: rejects a prompt longer than the context with both numbers, even a huge one, and continues to serve", async () => {
    const app = shared();
    for (const words of [9000, 1_600_000]) {
      const content = "word ".repeat(words);
      const error = await whole(app, { messages: [{ role: "user", content }] }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ status: 400, code: "context_length_exceeded", param: "messages" });
      expect((error as Error).message).toMatch(
        /maximum prompt length is 8191 but the request contains (at least )?\d+ tokens/,
      );
    }
    expect((await whole(app)).finish).toBe("stop");
  });
});

describe("an error that the official client raises", () => {
  it("is NotFoundError for a model that does not exist, streamed or not", async () => {
    const app = shared();
    for (const stream of [true, false]) {
      const request = app.client.chat.completions.create({ model: "gpt-x", messages: greeting, stream });
      await expect(request).rejects.toBeInstanceOf(NotFoundError);
    }
  });

  it("is AuthenticationError for a wrong key", async () => {
    const app = shared();
    const request = clientOf(app.url, "hk-not-a-key-at-all").models.list();
    await expect(request).rejects.toBeInstanceOf(AuthenticationError);
  });
});
