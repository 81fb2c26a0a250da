/** vLLM and SGLang by doubles of their protocols, over the built-in model's own vocabulary and template. */
import { readGgufFileInfo } from "node-llama-cpp";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { sampleText } from "../../../src/engine/remote/check.js";
import { type Answering, type Double, startDouble } from "../../kit/doubles/engines/double.js";
import { sglangProtocol } from "../../kit/doubles/engines/sglang.js";
import { vllmProtocol } from "../../kit/doubles/engines/vllm.js";
import { root } from "../../kit/folder.js";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { firstChoice, requestJson, requestStream } from "../../kit/clients/chat-answers.js";

const local = fileServer();
let sample: readonly number[] = [];
let endToken = 0;

async function idsOf(text: string): Promise<readonly number[]> {
  const { engine, models } = local().app;
  const model = models.find(builtInModel);
  if (model === null) throw new Error("there is no built-in model");
  const lease = await engine.load(model);
  const tokens = await engine.tokenize(model, text);
  lease.release();
  return Array.from(tokens, ({ id }) => id);
}

/** Returns the tokens of a text in which marks are control tokens. */
async function controlIds(text: string): Promise<readonly number[]> {
  const { engine, models } = local().app;
  const model = models.find(builtInModel);
  if (model === null) throw new Error("there is no built-in model");
  const { tokens } = await engine.prompt(model, { prompt: text, suffix: null, readsControlTokens: true });
  const [bos] = (
    await engine
      .prompt(model, { prompt: "", suffix: null, readsControlTokens: true })
      .catch(() => ({ tokens: [] as number[] }))
  ).tokens;
  return [...tokens].filter((token) => token !== bos);
}

beforeAll(async () => {
  sample = await idsOf(sampleText);
  const info = await readGgufFileInfo(join(root, "models", builtInModel, `${builtInModel}.gguf`));
  endToken = info.metadata.tokenizer?.ggml.eos_token_id ?? 0;
});

const kinds = [
  ["vllm", () => vllmProtocol("tiny")],
  ["sglang", () => sglangProtocol("tiny", true)],
  ["sglang with new tokens only in each frame", () => sglangProtocol("tiny", false)],
] as const;

/** Starts a double and a server over it, for all tests of a kind. */
function startedOver(kind: string, protocol: ReturnType<(typeof kinds)[number][1]>) {
  let double: Double | null = null;
  const shared = fileServer(async (finished) => {
    double = await startDouble(
      protocol,
      () => sample,
      () => ({ frames: [], finish: "stop" }),
      finished,
    );
    const placed = { models: [{ id: builtInModel, name: "tiny" }], apiKey: "key-of-the-engine" };
    return {
      environment: {
        HEARTH_ENGINES: JSON.stringify([{ kind: kind.split(" ")[0], url: double.url, ...placed }]),
      },
    };
  });
  /** Returns the server, with a double that answers so. */
  return (answering: Answering): TestServer & { readonly double: Double } => {
    if (double === null) throw new Error("the double starts with the first test");
    double.restart(answering);
    return { ...shared(), double };
  };
}

describe.each(kinds)("a model on %s", (kind, protocol) => {
  const start = startedOver(kind, protocol());

  it("answers with the tokens that the engine samples, in frames of several, whole and streamed", async () => {
    const ids = await idsOf("Hello there, how are you?");
    const app = start(() => ({
      frames: [ids.slice(0, 1), ids.slice(1, 4), [...ids.slice(4), endToken]],
      finish: "stop",
    }));
    const [json, frames] = [await requestJson(app), await requestStream(app)];
    for (const answer of [json, frames]) {
      expect(firstChoice(answer)).toMatchObject({ content: "Hello there, how are you?", finish: "stop" });
      expect(answer.usage?.completion_tokens).toBe(ids.length);
    }
    const here = await requestJson(local());
    expect(json.usage?.prompt_tokens).toBe(here.usage?.prompt_tokens);
    expect(app.double.headers[0]?.authorization).toBe("Bearer key-of-the-engine");
  });

  it("is sent what the request states of its sampling and no more, the team and where answers end", async () => {
    const ids = await idsOf("Yes");
    const app = start(() => ({ frames: [ids], finish: "stop" }));
    await requestJson(app, {
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
      max_tokens: 9,
      logit_bias: { "5": -3 },
    });
    const [asked] = app.double.asked;
    const stated = { ...asked?.body, ...(asked?.body["sampling_params"] as object | undefined) } as Readonly<
      Record<string, unknown>
    >;
    expect(stated).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
      n: 1,
      ignore_eos: false,
      logit_bias: { "5": -3 },
      skip_special_tokens: false,
    });
    const unstated = ["top_k", "min_p", "repetition_penalty"];
    expect(Object.keys(stated).filter((name) => unstated.includes(name))).toEqual([]);
    expect(stated["max_tokens"] ?? stated["max_new_tokens"]).toBe(9);
    expect(stated["seed"] ?? stated["sampling_seed"]).toBe(7);
    expect(stated["stop_token_ids"]).toContain(endToken);
    expect(stated["cache_salt"] ?? stated["extra_key"]).toMatch(/.{8,}/);
  });

  it("ends an answer at its limit, and says so", async () => {
    const ids = await idsOf("one two three four five six");
    const app = start(({ body }) => {
      const {
        max_tokens: most = (body["sampling_params"] as { max_new_tokens?: number } | undefined)
          ?.max_new_tokens,
      } = body as { max_tokens?: number };
      return { frames: [ids.slice(0, most)], finish: "length" };
    });
    const answer = await requestJson(app, { max_tokens: 3 });
    expect([firstChoice(answer).finish, answer.usage?.completion_tokens]).toEqual(["length", 3]);
  });

  it("continues under the grammar of an answer once its reasoning has ended, with all tokens so far", async () => {
    const schema = { type: "object", properties: { mood: { enum: ["glad", "sad"] } }, required: ["mood"] };
    const [thought, json] = [await controlIds("<think>\nHm.\n</think>"), await idsOf('{"mood": "glad"}')];
    let promptLength = 0;
    const app = start(({ prompt }, at) => {
      if (at === 0) promptLength = prompt.length;
      const done = prompt.length - promptLength;
      // It goes on after the reasoning without the grammar, in the same frame, which must not be used.
      if (done < thought.length) return { frames: [[...thought.slice(done), ...json]], finish: "stop" };
      return { frames: [[...json.slice(done - thought.length), endToken]], finish: "stop" };
    });
    const answer = await requestJson(app, {
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "s", schema } },
    });
    expect(JSON.parse(firstChoice(answer).content)).toEqual({ mood: "glad" });
    const last = app.double.asked.at(-1);
    expect(last?.grammar).toContain("glad");
    const first = app.double.asked[0]?.prompt ?? [];
    expect(last?.prompt.slice(0, first.length)).toEqual(first);
    expect(last?.prompt.length).toBeGreaterThan(first.length);
  });

  it("reports log probabilities of tokens by their ids", async () => {
    const ids = await idsOf("Hello there");
    const app = start(() => ({ frames: [ids, [endToken]], finish: "stop" }));
    const { logprobs } = firstChoice(await requestJson(app, { logprobs: true, top_logprobs: 2 }));
    expect(logprobs?.map(({ token }) => token).join("")).toBe("Hello there");
    for (const { logprob, top_logprobs: top } of logprobs ?? [])
      expect([logprob, top.map((each) => each.logprob)]).toEqual([-0.25, [-0.25, -2]]);
  });

  it("is not retried after its first token: the connection that is lost ends the stream with an error", async () => {
    const ids = await idsOf("one two three");
    const app = start(() => ({
      frames: ids.map((id) => [id]),
      finish: "stop",
      breaks: { after: 2, by: "connection" },
    }));
    await expect(requestStream(app)).rejects.toThrow(/connection was lost/);
    expect(app.double.asked).toHaveLength(1);
  });

  it("ends with an error where it fails in mid-stream", async () => {
    const ids = await idsOf("one two three");
    const app = start(() => ({
      frames: ids.map((id) => [id]),
      finish: "stop",
      breaks: { after: 2, by: "error" },
    }));
    await expect(requestStream(app)).rejects.toThrow(/its answer is an error/);
  });

  it("F31: fails where the engine sends a token that is not in the vocabulary", async () => {
    const app = start(() => ({ frames: [[5], [900_000_000]], finish: "stop" }));
    await expect(requestJson(app)).rejects.toThrow(/not in the vocabulary/);
  });

  it("fails where the engine has read another prompt than was sent", async () => {
    const app = start(({ prompt }) => ({
      frames: [[5]],
      finish: "stop",
      read: prompt.slice(1),
    }));
    await expect(requestJson(app)).rejects.toThrow(/prompt tokens/);
  });

  it("waits for a slow start, and a client that leaves ends the request at the engine", async () => {
    const ids = await idsOf("one two three");
    let go = (): void => undefined;
    const slow = new Promise<void>((resolve) => (go = resolve));
    const app = start(() => ({
      frames: ids.map((id) => [id]),
      finish: "stop",
      after: slow,
    }));
    const leaving = new AbortController();
    const asked = app.client.chat.completions.create(
      { model: builtInModel, messages: [{ role: "user", content: "Hi" }] },
      { signal: leaving.signal },
    );
    await until(() => app.double.asked.length === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until(() => app.double.left === 1);
    go();
    await until(() => app.app.liveRuns.size === 0);
  });

  it("is answered by another server of the model where one fails before its first token", async () => {
    const ids = await idsOf("Yes");
    const broken = await startDouble(
      protocol(),
      () => sample,
      () => ({ frames: [], finish: "stop", status: 500 }),
    );
    const whole = await startDouble(
      protocol(),
      () => sample,
      () => ({ frames: [[...ids, endToken]], finish: "stop" }),
    );
    const engines = [
      {
        kind: kind.split(" ")[0],
        url: [broken.url, whole.url],
        models: [{ id: builtInModel, name: "tiny" }],
      },
    ];
    const app = await startServer({ environment: { HEARTH_ENGINES: JSON.stringify(engines) } });
    for (let at = 0; at < 8; at += 1) {
      const messages = [{ role: "user" as const, content: `Question ${at}` }];
      expect(firstChoice(await requestJson(app, { messages })).content).toBe("Yes");
    }
    expect(whole.asked).toHaveLength(8);
  });

  const generate = (url: string, options: object): Promise<Response> =>
    fetch(`${url}/api/generate`, {
      method: "POST",
      body: JSON.stringify({ model: builtInModel, prompt: "Hi", stream: false, options }),
      headers: { "content-type": "application/json", authorization: "Bearer test-key-of-sixteen-characters" },
    });

  it("is sent a penalty for repeated tokens, and Ollama's default of the tokens that it counts is no wish", async () => {
    const app = start(() => ({ frames: [[5]], finish: "stop" }));
    const response = await generate(app.url, { repeat_penalty: 1.3 });
    expect([response.status, response.headers.get("x-hearth-warning")]).toEqual([200, null]);
    const [asked] = app.double.asked;
    const parameters = asked?.body["sampling_params"] as object | undefined;
    expect({ ...asked?.body, ...parameters }).toMatchObject({ repetition_penalty: 1.3 });
  });

  it("answers with a warning where it cannot count the latest tokens alone", async () => {
    const app = start(() => ({ frames: [[5]], finish: "stop" }));
    const response = await generate(app.url, { repeat_penalty: 1.3, repeat_last_n: 8 });
    const warning = response.headers.get("x-hearth-warning");
    expect([response.status, warning]).toEqual([200, expect.stringContaining("repeat_last_n")]);
  });
});
