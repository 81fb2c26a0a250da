import { describe, expect, it, vi } from "vitest";
import { type TestServer, deterministicFileServer, startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { firstChoice, requestStream, tokenCalled, requestJson } from "../../kit/clients/chat-answers.js";

const shared = deterministicFileServer();

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const count = [{ role: "user" as const, content: "Count from 1 to 40." }];
const wild = { messages: story, temperature: 1.5, seed: 11, max_tokens: 24 };
const textsOf = ({ choices }: { readonly choices: readonly { readonly content: string }[] }): string[] =>
  choices.map(({ content }) => content);

describe("logit_bias", () => {
  it("of -100 keeps a token out of every answer", async () => {
    const app = shared();
    const request = { messages: story, max_tokens: 40, logprobs: true };
    const free = firstChoice(await requestJson(app, request));
    const counts = new Map<string, number>();
    for (const { token } of free.logprobs ?? []) counts.set(token, (counts.get(token) ?? 0) + 1);
    const [common = "", times = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    expect(times).toBeGreaterThan(1);
    const logit_bias = { [await tokenCalled(common.replace(" ", "\u0120"))]: -100 };
    for (const body of [
      { ...request, logit_bias },
      { ...request, ...wild, n: 4, logit_bias },
    ])
      for (const { logprobs } of (await requestJson(app, body)).choices)
        expect(logprobs?.map(({ token }) => token)).not.toContain(common);
  });

  it("of 100 forces a token, and nothing else comes", async () => {
    const app = shared();
    const logit_bias = { [await tokenCalled("x")]: 100 };
    for (const body of [{}, wild, { logprobs: true }]) {
      const { content, finish } = firstChoice(await requestJson(app, { max_tokens: 5, ...body, logit_bias }));
      expect([new Set(content), finish]).toEqual([new Set("x"), "length"]);
    }
  });

  it("of -100 on the end-of-turn token lets the answer continue to its limit", async () => {
    const app = shared();
    const free = await requestJson(app);
    expect(firstChoice(free).finish).toBe("stop");
    const bound = (free.usage?.completion_tokens ?? 0) + 20;
    const logit_bias = {
      [await tokenCalled("<|im_end|>")]: -100,
      [await tokenCalled("<|endoftext|>")]: -100,
    };
    for (const logprobs of [false, true]) {
      const { choices, usage } = await requestJson(app, { logit_bias, max_tokens: bound, logprobs });
      expect([choices[0]?.finish, usage?.completion_tokens]).toEqual(["length", bound]);
    }
  });

  it.each([
    [{ "-1": 1 }, 400, "logit_bias.-1"],
    [{ hello: 1 }, 400, "logit_bias.hello"],
    [{ "1.5": 1 }, 400, "logit_bias.1.5"],
    [{ "999999": -100 }, 400, "logit_bias.999999"],
    [{ "9999999999": 100 }, 400, "logit_bias.9999999999"],
    [{ "7": 101 }, 400, "logit_bias.7"],
    [{ "7": -101 }, 400, "logit_bias.7"],
    [{ "7": "much" }, 422, "logit_bias.7"],
    [[1, 2], 422, "logit_bias"],
  ])("%j is rejected with a %i that names the field", async (logit_bias, status, param) => {
    const app = shared();
    const answer = requestJson(app, { logit_bias });
    await expect(answer).rejects.toMatchObject({ status, param });
  });
});

describe("n choices", () => {
  it("are as many as requested, even more than there are slots, in order, and equal at temperature 0", async () => {
    const app = await startServer({ environment: { HEARTH_SLOTS_PER_MODEL: "2" } });
    const one = await requestJson(app, { max_tokens: 12, deterministic: true });
    for (const n of [2, 3, 8]) {
      const body = { n, max_tokens: 12 };
      const answer = await app.client.chat.completions.create({
        model: builtInModel,
        messages: [{ role: "user", content: "Hello!" }],
        temperature: 0,
        ...body,
      });
      expect(answer.choices.map(({ index }) => index)).toEqual(Array.from({ length: n }, (_, at) => at));
      const texts = textsOf(await requestJson(app, { ...body, deterministic: true }));
      expect(new Set(texts)).toEqual(new Set(textsOf(one)));
      expect(textsOf(await requestStream(app, { ...body, deterministic: true }))).toEqual(texts);
    }
  });

  it("are sampled independently, are reproducible with their seed, and their usage adds up", async () => {
    const app = shared();
    const body = { ...wild, n: 6 };
    const answer = await requestJson(app, { ...body, logprobs: true });
    expect(new Set(textsOf(answer)).size).toBeGreaterThan(3);
    const tokens = answer.choices.reduce((sum, { logprobs }) => sum + (logprobs?.length ?? 0), 0);
    expect(answer.usage?.completion_tokens).toBeGreaterThanOrEqual(tokens);
    expect(answer.usage?.completion_tokens).toBeLessThanOrEqual(6 * wild.max_tokens);
    const plain = await requestJson(app, body);
    expect(textsOf(await requestJson(app, body))).toEqual(textsOf(plain));
    expect(textsOf(plain)[0]).toBe(firstChoice(await requestJson(app, { ...body, n: 1 })).content);
    expect((await requestStream(app, body)).usage).toMatchObject({ total_tokens: plain.usage?.total_tokens });
  });

  it("count the prompt once and the tokens of each choice", async () => {
    const app = shared();
    const bias = { [await tokenCalled("x")]: 100 };
    const ask = async (n: number) => (await requestJson(app, { n, max_tokens: 9, logit_bias: bias })).usage;
    const [one, five] = [await ask(1), await ask(5)];
    expect(five?.prompt_tokens).toBe(one?.prompt_tokens);
    expect([one?.completion_tokens, five?.completion_tokens]).toEqual([9, 45]);
    expect(five?.total_tokens).toBe((five?.prompt_tokens ?? 0) + 45);
  });

  it("share a single evaluation of a long prompt", async () => {
    const app = await startServer();
    const { engine } = app.app;
    const generate = engine.generate.bind(engine);
    const cached: number[] = [];
    vi.spyOn(engine, "generate").mockImplementation(async function* (...job) {
      for await (const event of generate(...job)) {
        if (event.type === "generation-start") cached.push(event.cachedTokens);
        yield event;
      }
    });
    const messages = [{ role: "user", content: "word ".repeat(600) }];
    const { usage } = await requestJson(app, { messages, n: 6, max_tokens: 2 });
    const prompt = usage?.prompt_tokens ?? NaN;
    expect(prompt).toBeGreaterThan(600);
    expect(cached.filter((tokens) => tokens < prompt - 64)).toEqual([0]);
    expect(usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(cached.length).toBe(6);
  });

  it("free all slots when their client leaves", async () => {
    const app = await startServer({ environment: { HEARTH_SLOTS_PER_MODEL: "2" } });
    const stream = await app.client.chat.completions.create({
      model: builtInModel,
      messages: story,
      n: 8,
      stream: true,
      logit_bias: { [await tokenCalled("x")]: 100 },
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort();
    await until(() => app.app.liveRuns.size === 0);
    expect(app.app.scheduler.load).toEqual({ running: 0, waiting: 0 });
    const [run] = await app.app.runs.list(1);
    expect(run?.state).toBe("aborted");
    expect(firstChoice(await requestJson(app, { max_tokens: 3 })).content).not.toBe("");
  });

  it("of 0 and 129 are rejected with a 400 that names the field", async () => {
    const app = shared();
    for (const n of [0, 129])
      await expect(requestJson(app, { n })).rejects.toMatchObject({ status: 400, param: "n" });
  });
});

describe("sampling", () => {
  const ask = async (app: TestServer, body: object): Promise<string> =>
    firstChoice(await requestJson(app, { ...wild, ...body })).content;

  it.each([
    ["top_k of 1", { top_k: 1 }],
    ["min_p of 1", { min_p: 1 }],
    ["top_p of 0", { top_p: 0 }],
  ])("with a %s selects the most likely token, with and without log probabilities", async (_case, body) => {
    const app = shared();
    const greedy = await ask(app, { temperature: 0 });
    expect(await ask(app, body)).toBe(greedy);
    expect(await ask(app, { ...body, logprobs: true })).toBe(greedy);
    expect(await ask(app, {})).not.toBe(greedy);
  });

  it("is reproducible with a seed, with and without log probabilities, and differs with another", async () => {
    const app = shared();
    for (const logprobs of [false, true]) {
      const [one, same, other] = [
        await ask(app, { logprobs }),
        await ask(app, { logprobs }),
        await ask(app, { logprobs, seed: 12 }),
      ];
      expect(same).toBe(one);
      expect(other).not.toBe(one);
    }
  });

  it("differs between requests without a seed", async () => {
    const app = await startServer();
    const texts = new Set<string>();
    for (let round = 0; round < 4; round++) texts.add(await ask(app, { seed: null }));
    expect(texts.size).toBeGreaterThan(1);
  });

  it.each([
    ["frequency_penalty", 2, [0, 2, 4, 6]],
    ["frequency_penalty", -1.5, [0, -1.5, -3, -4.5]],
    ["presence_penalty", 2, [0, 2, 2, 2]],
    ["presence_penalty", -1, [0, -1, -1, -1]],
  ])("with a %s of %f subtracts it from the logits of generated tokens", async (field, penalty, taken) => {
    const app = shared();
    // Likely enough to be repeated, while other tokens stay visible.
    const body = {
      max_tokens: 4,
      logit_bias: { [await tokenCalled("x")]: 30 },
      logprobs: true,
      top_logprobs: 20,
    };
    const tops = async (asked: object) =>
      (firstChoice(await requestJson(app, { ...body, ...asked })).logprobs ?? []).map(
        ({ top_logprobs: top }) => new Map(top.map(({ token, logprob }) => [token, logprob])),
      );
    const [plain, penalised] = [await tops({}), await tops({ [field]: penalty })];
    const less = plain.map((top, step) => {
      const other = [...top.keys()].find((token) => token !== "x" && penalised[step]?.has(token)) ?? "";
      const lead = (of = new Map<string, number>()): number => (of.get("x") ?? 0) - (of.get(other) ?? 0);
      return lead(top) - lead(penalised[step]);
    });
    for (const [step, amount] of taken.entries()) expect(less[step]).toBeCloseTo(amount, 3);
  });

  it("with a penalty returns the same text with and without log probabilities", async () => {
    const app = shared();
    const long = { messages: count, max_tokens: 80 };
    const plain = firstChoice(await requestJson(app, long)).content;
    for (const frequency_penalty of [2, -2]) {
      const { content } = firstChoice(await requestJson(app, { ...long, frequency_penalty }));
      expect(
        firstChoice(await requestJson(app, { ...long, frequency_penalty, logprobs: true })).content,
      ).toBe(content);
      expect(content).not.toBe(plain);
    }
  });
});

describe("limits of an answer", () => {
  it("are any of four stop sequences, whichever comes first", async () => {
    const app = shared();
    const { content } = firstChoice(await requestJson(app, { messages: story, max_tokens: 60 }));
    const stop = [content.slice(40, 46), content.slice(25, 31), content.slice(10, 16), "never there"];
    const at = Math.min(...stop.map((text) => content.indexOf(text)).filter((place) => place >= 0));
    const body = { messages: story, max_tokens: 60, stop };
    for (const answer of [await requestJson(app, body), await requestStream(app, body)])
      expect(firstChoice(answer)).toMatchObject({ content: content.slice(0, at), finish: "stop" });
  });

  it("are max_completion_tokens, or max_tokens if that is absent", async () => {
    const app = shared();
    for (const [bounds, count] of [
      [{ max_completion_tokens: 5 }, 5],
      [{ max_tokens: 6 }, 6],
      [{ max_completion_tokens: 3, max_tokens: 9 }, 3],
    ] as const) {
      const { choices, usage } = await requestJson(app, { messages: story, ...bounds });
      expect([choices[0]?.finish, usage?.completion_tokens]).toEqual(["length", count]);
    }
  });
});
