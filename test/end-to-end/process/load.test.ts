import { rmSync } from "node:fs";
import { join } from "node:path";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { SampledLogprob } from "../../../src/core/generation.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { expectSameUpToRounding, sampledOf } from "../../kit/rounding.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const greeting = [{ role: "user" as const, content: "Hello!" }];

async function post(app: TestServer, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, messages: greeting, ...body }),
    signal,
  });
}

/** The text of a whole answer. */
async function textOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { choices?: { message: { content: string } }[] };
  return body.choices?.[0]?.message.content ?? JSON.stringify(body);
}

/** The log probabilities of a whole answer's tokens. */
async function logprobsOf(answer: Response): Promise<readonly SampledLogprob[]> {
  const { choices } = (await answer.json()) as OpenAI.ChatCompletion;
  return sampledOf(choices[0]?.logprobs?.content ?? null);
}

/** A folder with random models of these names, each about 0.2 MB. */
async function randomModels(...names: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const [index, name] of names.entries()) await writeVerifiedModel(folder, name, { seed: index + 1 });
  return folder;
}

describe("numbers that reach native code", () => {
  const refused: readonly [string, unknown][] = [
    ["n", 16_384],
    ["n", 0],
    ["top_logprobs", 1e6],
    ["max_tokens", -2],
    ["max_tokens", 0],
    ["max_tokens", 1.5],
    ["max_tokens", "10"],
    ["max_tokens", 2 ** 53],
    ["max_completion_tokens", -(2 ** 31)],
    ["temperature", -1],
    ["temperature", 1e9],
    ["temperature", "hot"],
    ["top_p", -0.1],
    ["top_p", 1.1],
    ["frequency_penalty", 1e308],
    ["presence_penalty", -2.1],
    ["seed", 1.5],
    ["seed", 2 ** 70],
    ["stop", [""]],
    ["stop", Array.from({ length: 1000 }, () => "x")],
    ["stop", ["x".repeat(100_000)]],
    ["logit_bias", Object.fromEntries(Array.from({ length: 2000 }, (_, id) => [id, 1]))],
  ];

  it.each(refused)("F1, F2: %s = %j is a 4xx that names the field", async (field, value) => {
    const app = await startServer();
    const answer = await post(app, { [field]: value });
    expect([400, 422]).toContain(answer.status);
    const { error } = (await answer.json()) as { error: { param: string; message: string } };
    expect(error.param.split(".")[0]).toBe(field);
    expect(app.app.liveRuns.size).toBe(0);
  });

  it("F1: a limit of a billion tokens is accepted, and the answer ends earlier", async () => {
    const app = await startServer();
    const answer = await post(app, { max_tokens: 1_000_000_000, temperature: 0 });
    expect(answer.status).toBe(200);
    expect((await textOf(answer)).trim()).not.toBe("");
  });
});

describe("a client that leaves", () => {
  it("F5: while the model loads, while it waits, in prefill, in decode and after the end: every slot is free again", async () => {
    const app = await startServer({
      environment: { HEARTH_SLOTS_PER_MODEL: "1", HEARTH_PREFILL_CHUNK_TOKENS: "8" },
    });
    const { liveRuns, scheduler } = app.app;
    const leave = async (body: object, when: () => boolean): Promise<void> => {
      const leaving = new AbortController();
      const asked = post(app, body, leaving.signal).then(
        (answer) => answer.text(),
        () => "",
      );
      await until(when);
      leaving.abort();
      await asked.catch(() => undefined);
    };
    await leave({}, () => liveRuns.size === 1);
    await until(() => liveRuns.size === 0);

    const holder = new AbortController();
    const held = await post(app, { messages: story, stream: true, temperature: 0 }, holder.signal);
    await leave({}, () => scheduler.load.waiting === 1);
    await until(() => scheduler.load.waiting === 0);
    expect(scheduler.load.running).toBe(1);
    await held.text();
    await until(() => liveRuns.size === 0);

    const long = [{ role: "user", content: "word ".repeat(1500) }];
    await leave({ messages: long, stream: true }, () => scheduler.load.running === 1);
    await until(() => liveRuns.size === 0);
    await leave({ messages: story, temperature: 0, stream: true }, () => scheduler.load.running === 1);
    await until(() => liveRuns.size === 0);
    expect((await post(app, {})).status).toBe(200);
    expect(scheduler.load).toEqual({ running: 0, waiting: 0 });
  });

  it("F13: many that leave at random moments affect no other client, and the server closes normally", async () => {
    const app = await startServer();
    const compared = { messages: story, temperature: 0, max_tokens: 60, logprobs: true, top_logprobs: 5 };
    const alone = await logprobsOf(await post(app, compared));
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const work = Array.from({ length: 60 }, async (_, index) => {
      if (index % 4 === 0) return logprobsOf(await post(app, compared));
      const leaving = new AbortController();
      const turns = random(400);
      const asked = post(app, { messages: story, temperature: 0, stream: true }, leaving.signal).then(
        (answer) => answer.text(),
      );
      for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      leaving.abort();
      return asked.then(
        () => alone,
        () => alone,
      );
    });
    for (const logprobs of await Promise.all(work)) expectSameUpToRounding(logprobs, alone);
    await until(() => app.app.liveRuns.size === 0);
    await expect(app.app.close()).resolves.toBeUndefined();
  });
});

describe("a flood", () => {
  it("F6: of 400 requests is served up to the queue limit, and the rest is rejected at once with Retry-After", async () => {
    const app = await startServer({
      environment: { HEARTH_QUEUE_DEPTH_MAX: "32", HEARTH_RUNS_ACTIVE_MAX: "2000" },
    });
    await post(app, { max_tokens: 1 });
    const answers = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const answer = await post(app, { max_tokens: 4, temperature: 0 });
        await answer.arrayBuffer();
        return answer;
      }),
    );
    const served = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status === 503);
    expect(served.length + refused.length).toBe(400);
    expect(served.length).toBeGreaterThanOrEqual(36);
    for (const answer of refused) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(app.app.scheduler.load).toEqual({ running: 0, waiting: 0 });
    expect((await post(app, {})).status).toBe(200);
  });
});

describe("several models", () => {
  it("answer concurrently under their own names, and are unloaded for each other when memory is small", async () => {
    const models = await randomModels("one", "two", "three");
    const roomy = await startServer({ environment: { HEARTH_MODELS: models } });
    for (const model of ["one", "two", "three", builtInModel]) {
      const answer = await post(roomy, { model, max_tokens: 3 });
      expect(((await answer.json()) as { model: string }).model).toBe(model);
    }
    expect(roomy.app.engine.residents().length).toBe(4);

    const needed = roomy.app.engine.residents().find((model) => model.id === "one")?.bytes ?? 0;
    const tight = await startServer({
      environment: {
        HEARTH_MODELS: models,
        HEARTH_MEMORY_BYTES_MAX: String(Math.floor(needed * 1.5)),
      },
    });
    for (const model of ["one", "two", "three", "one"]) {
      expect((await post(tight, { model, max_tokens: 3 })).status).toBe(200);
      expect(tight.app.engine.residents().map((resident) => resident.id)).toEqual([model]);
    }
  });

  it("F8: one that streams is not evicted for another, which waits", async () => {
    const models = await randomModels("one", "two");
    const app = await startServer({
      environment: { HEARTH_MODELS: models, HEARTH_MEMORY_BYTES_MAX: "36000000" },
    });
    const streaming = await post(app, {
      model: "one",
      stream: true,
      temperature: 0,
      max_tokens: 300,
      messages: story,
    });
    const other = post(app, { model: "two", max_tokens: 3 });
    await until(() => app.app.liveRuns.size === 2);
    const frames = await streaming.text();
    expect(frames).toContain("[DONE]");
    expect(frames).not.toContain('"error"');
    expect((await other).status).toBe(200);
    expect(app.app.engine.residents().map((resident) => resident.id)).toEqual(["two"]);
  });

  it("F8: the file of a loaded model may be deleted while it answers; later loads say what is missing", async () => {
    const models = await randomModels("one");
    const app = await startServer({ environment: { HEARTH_MODELS: models, HEARTH_KEEP_ALIVE_MS: "0" } });
    const streaming = await post(app, {
      model: "one",
      stream: true,
      temperature: 0,
      max_tokens: 200,
      messages: story,
    });
    rmSync(join(models, "one", "random.gguf"));
    expect(await streaming.text()).toContain("[DONE]");
    await until(() => app.app.engine.residents().length === 0);
    const answer = await post(app, { model: "one", max_tokens: 3 });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("random.gguf");
    expect((await post(app, {})).status).toBe(200);
  });
});

describe("deterministic: true", () => {
  it("gives the same bytes during other work as alone", async () => {
    const app = await startServer();
    const ask = async (): Promise<string> =>
      textOf(
        await post(app, { messages: story, seed: 11, temperature: 1.3, deterministic: true, max_tokens: 40 }),
      );
    const alone = await ask();
    const noise = Array.from({ length: 6 }, () => post(app, { messages: story, max_tokens: 80 }));
    const beside = await Promise.all([ask(), ask(), ask()]);
    expect(beside).toEqual([alone, alone, alone]);
    for (const answer of await Promise.all(noise)) expect(answer.status).toBe(200);
  });
});
