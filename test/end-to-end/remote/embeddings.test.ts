/** Embeddings on remote engines: a true llama-server, and vLLM and SGLang by doubles, over the built-in model's own vocabulary. */
import { join } from "node:path";
import { beforeAll, describe, expect, it as itAlways } from "vitest";
import { loadLlama } from "../../kit/engine/llama.js";
import { sampleText } from "../../../src/engine/remote/check.js";
import { startDouble, type Double } from "../../kit/doubles/engines/double.js";
import { vectorOf } from "../../kit/doubles/engines/embeddings.js";
import { sglangProtocol } from "../../kit/doubles/engines/sglang.js";
import { vllmProtocol } from "../../kit/doubles/engines/vllm.js";
import { root } from "../../kit/folder.js";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import {
  itWithLlamaServer,
  startLlamaServer,
  withoutLlamaServer,
} from "../../kit/doubles/llama-server/start.js";

const model = "hearth-embed-1m";
const modelFile = join(root, "models", model, `${model}.gguf`);
const texts = ["The cat sleeps.", "A dog runs in the park.", "naïve 你好", " "];

const local = fileServer();
let sample: readonly number[] = [];

beforeAll(async () => {
  const llama = await loadLlama();
  const vocabulary = await llama.loadModel({ modelPath: modelFile, vocabOnly: true });
  sample = vocabulary.tokenize(sampleText);
  await vocabulary.dispose();
});

interface Answer {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly usage: { readonly prompt_tokens: number; readonly cost_in_usd_ticks: number };
}

async function post({ url }: TestServer, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function embed(app: TestServer, body: object): Promise<Answer> {
  const response = await post(app, "/v1/embeddings", { model, ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

/** Numbers as they are up to rounding: 32-bit numbers that other kernels have computed. */
function rounded({ data, ...rest }: Answer) {
  return {
    ...rest,
    data: data.map((each) => ({ ...each, embedding: each.embedding.map((x) => x.toFixed(4)) })),
  };
}

describe(`an embedding model on a llama-server${withoutLlamaServer}`, () => {
  let url = "";
  const remote = fileServer(async (finished) => {
    if (withoutLlamaServer !== "") return {};
    const options = { slots: 2, args: ["--embeddings"] };
    ({ url } = await startLlamaServer(modelFile, options, finished));
    return {
      environment: { HEARTH_ENGINES: JSON.stringify([{ kind: "llama-server", url, models: [model] }]) },
    };
  });

  itWithLlamaServer.each([
    ["texts", { input: texts }],
    ["fewer dimensions", { input: texts, dimensions: 16 }],
    ["token ids", { input: [[5, 6, 7], [8]] }],
    ["more inputs than one request has", { input: Array.from({ length: 150 }, (_, at) => `text ${at}`) }],
  ])("answers as in this process: shape, vectors, usage and price of %s", async (_, body) => {
    expect(rounded(await embed(remote(), body))).toEqual(rounded(await embed(local(), body)));
    const base64 = { ...body, encoding_format: "base64" };
    const { data } = (await (await post(remote(), "/v1/embeddings", { model, ...base64 })).json()) as Answer;
    expect(typeof data[0]?.embedding).toBe("string");
  });

  itWithLlamaServer("answers Ollama's route, and refuses what this process refuses", async () => {
    const ollama = { model, input: texts };
    const [there, here] = await Promise.all(
      [remote(), local()].map(
        async (app) =>
          (await (await post(app, "/api/embed", ollama)).json()) as { prompt_eval_count: number },
      ),
    );
    expect(there?.prompt_eval_count).toBe(here?.prompt_eval_count);
    for (const body of [
      { input: [[5, 999_999]] },
      { input: "word ".repeat(3000) },
      { input: "hi", dimensions: 100_000 },
    ]) {
      const answers = await Promise.all(
        [remote(), local()].map((app) => post(app, "/v1/embeddings", { model, ...body })),
      );
      const [of, as] = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
      expect(of).toEqual(as);
    }
  });

  itWithLlamaServer("runs beside chat models of this process", async () => {
    const answer = await post(remote(), "/v1/chat/completions", {
      model: builtInModel,
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 4,
    });
    expect(answer.status).toBe(200);
    const ps = await fetch(`${remote().url}/v1/hearth/ps`, {
      headers: { authorization: `Bearer ${testKey}` },
    });
    expect(await ps.json()).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ id: model, device: "llama-server (ready)" }),
      ]) as object,
    });
  });
});

const kinds = [
  ["vllm", () => vllmProtocol("small"), "base64"],
  ["sglang", () => sglangProtocol("small", true), "float"],
] as const;

describe.each(kinds)("an embedding model on %s", (kind, protocol, format) => {
  const start = async (count = 1): Promise<TestServer & { readonly doubles: readonly Double[] }> => {
    const doubles = await Promise.all(
      Array.from({ length: count }, () =>
        startDouble(
          protocol(),
          (text) => (text === sampleText ? sample : []),
          () => ({ frames: [], finish: "stop" }),
        ),
      ),
    );
    const setting = {
      kind,
      url: doubles.map(({ url }) => url),
      models: [{ id: model, name: "small" }],
      apiKey: "key-of-the-engine",
    };
    return {
      ...(await startServer({ environment: { HEARTH_ENGINES: JSON.stringify([setting]) } })),
      doubles,
    };
  };

  itAlways(
    "gets token ids, and its vectors are returned in order, with length 1 and the local usage",
    async () => {
      const app = await start();
      const here = await embed(local(), { input: texts });
      const { data, usage } = await embed(app, { input: texts });
      expect(usage).toEqual(here.usage);
      const sent = app.doubles[0]?.embedded.at(-1) as { readonly input: readonly (readonly number[])[] };
      expect(sent).toMatchObject({ model: "small", encoding_format: format });
      expect(sent.input.flat()).toHaveLength(usage.prompt_tokens);
      for (const [at, tokens] of sent.input.entries()) {
        const vector = vectorOf(tokens);
        const norm = Math.hypot(...vector);
        const expected = vector.map((value) => expect.closeTo(value / norm, 5) as number);
        expect(data[at]).toMatchObject({ index: at, embedding: expected });
      }
    },
  );

  itAlways("is refused where it has read another number of tokens than were sent", async () => {
    const app = await start();
    await embed(app, { input: "one" });
    const [double] = app.doubles;
    if (double === undefined) throw new Error("there is a double");
    double.embeddings = () => ({
      data: [{ index: 0, embedding: [1, 0, 0, 0] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
    const answer = await post(app, "/v1/embeddings", { model, input: "one two" });
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringMatching(/read 1 prompt tokens/),
    ]);
  });

  itAlways("is answered by another server where one has ended, and by none with a reason", async () => {
    const app = await start(2);
    await embed(app, { input: "one" });
    await app.doubles[0]?.close();
    for (let at = 0; at < 4; at += 1) await embed(app, { input: `text ${at}` });
    await app.doubles[1]?.close();
    const answer = await post(app, "/v1/embeddings", { model, input: "one" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  });
});
