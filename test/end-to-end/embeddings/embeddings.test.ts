import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { encoderBytes } from "../../kit/models/gguf-writer/encoder.js";
import { contextTokens, embeddingModels, price, writeEmbeddingModels } from "./embedding-models.js";

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  await writeEmbeddingModels(folder);
  // Without a manifest, it is tried in a process of its own before it is loaded.
  writeFileSync(join(folder, "untried.gguf"), encoderBytes({ contextLength: contextTokens }));
  return { environment: { HEARTH_MODELS: folder } };
});

const tooManyWords = "cat ".repeat(contextTokens - 1);

type Input = string | string[] | number[] | number[][];

const embed = (model: string, input: Input, more: object = {}) =>
  shared().client.embeddings.create({ model, input, encoding_format: "float", ...more });

const vectorsOf = async (model: string, input: Input, more: object = {}) =>
  (await embed(model, input, more)).data.map(({ embedding }) => embedding);

const refusal = async (body: object): Promise<readonly [number, string]> => {
  const response = await fetch(`${shared().url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "bert", ...body }),
  });
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return [response.status, error.message];
};

const difference = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.length === b.length ? Math.max(...a.map((value, at) => Math.abs(value - (b[at] ?? 0)))) : Infinity;

describe.each(embeddingModels)("the embedding model %s", (model) => {
  it("law: a batch has the vectors of concurrent single requests, each of length 1, and other texts have others", async () => {
    // More tokens than are evaluated at once where that is possible.
    const long = "the cat sat on the mat ".repeat(12);
    const texts = ["the cat sat on the mat", "a dog", long];
    const batch = await vectorsOf(model, texts);
    expect(batch).toHaveLength(texts.length);
    const singles = await Promise.all(texts.map((text) => vectorsOf(model, text)));
    for (const [at, [single]] of singles.entries()) {
      expect(difference(batch[at], single)).toBeLessThan(1e-5);
      expect(Math.hypot(...(batch[at] ?? []))).toBeCloseTo(1, 5);
    }
    expect(difference(batch[0], batch[1])).toBeGreaterThan(1e-3);
    expect(difference(batch[0], batch[2])).toBeGreaterThan(1e-4);
  });
});

describe("POST /v1/embeddings", () => {
  it("law: base64 holds the same numbers as 32-bit floats", async () => {
    const [numbers] = await vectorsOf("bert", "a cat");
    const answer = await embed("bert", "a cat", { encoding_format: "base64" });
    const bytes = Buffer.from(String(answer.data[0]?.embedding), "base64");
    expect(bytes.length).toBe(4 * (numbers?.length ?? 0));
    const floats = numbers?.map((_, at) => bytes.readFloatLE(4 * at));
    expect(floats).toEqual(numbers?.map((value) => Math.fround(value)));
  });

  it("cuts vectors to the requested dimensions and scales them to length 1", async () => {
    const [whole = []] = await vectorsOf("nomic-embed", "a cat on the mat");
    const [cut = []] = await vectorsOf("nomic-embed", "a cat on the mat", { dimensions: 8 });
    const scale = Math.hypot(...whole.slice(0, 8));
    expect(cut).toHaveLength(8);
    expect(
      difference(
        cut,
        whole.slice(0, 8).map((value) => value / scale),
      ),
    ).toBeLessThan(1e-6);
  });

  it("reads token ids as they are, one text or several", async () => {
    // [CLS] a cat [SEP]
    const [text] = await vectorsOf("bert", "a cat");
    const [ids, other] = await vectorsOf("bert", [
      [2, 5, 6, 3],
      [2, 5, 7, 3],
    ]);
    expect(ids).toEqual(text);
    expect(other).not.toEqual(text);
    expect(await vectorsOf("bert", [2, 5, 6, 3])).toEqual([text]);
  });

  it("counts every token that the model reads, and charges the price of a prompt for it", async () => {
    const answer = await embed("bert", ["a cat", "the dog sat on the rug"]);
    const tokens = 2 + 6 + 2 * 2;
    expect(answer).toMatchObject({
      object: "list",
      model: "bert",
      data: [
        { object: "embedding", index: 0 },
        { object: "embedding", index: 1 },
      ],
      usage: { prompt_tokens: tokens, total_tokens: tokens, cost_in_usd_ticks: tokens * price },
    });
    const [run] = await shared().app.runs.list(1);
    expect(run).toMatchObject({
      model: "bert",
      endpoint: "/v1/embeddings",
      state: "completed",
      costTicks: tokens * price,
      usage: { promptTokens: tokens, completionTokens: 0 },
    });
  });

  it.each([
    ["an empty text", { input: "" }, 400, "input: must not be empty"],
    ["no text", { input: [] }, 400, "input: must not be empty"],
    ["an empty text of several", { input: ["a", ""] }, 400, "input.1: must not be empty"],
    ["no token ids", { input: [[5], []] }, 400, "input.1: must not be empty"],
    ["a number among texts", { input: ["a", 5] }, 422, "input.1: must be a string"],
    ["a negative token id", { input: [5, -1] }, 400, "input.1: must be between 0 and"],
    ["a number", { input: 5 }, 422, "input: must be a string or an array"],
    ["too many texts", { input: Array(2049).fill("a") }, 400, "input: must hold at most 2048 elements"],
    [
      "too many token ids",
      { input: Array(4).fill(Array(80_000).fill(5)) },
      400,
      "input: must hold at most 300000 token ids in all",
    ],
    ["an unknown token id", { input: [[2, 13]] }, 400, "input.0: the token 13 at position 1 is not one of"],
    ["too many tokens", { input: ["a", tooManyWords] }, 400, "input.1: has 301 tokens, but this model reads"],
    [
      "too long a text",
      { input: "x".repeat(100_000) },
      400,
      "input.0: has at least 1563 tokens, but this model",
    ],
    ["no dimensions", { input: "a", dimensions: 0 }, 400, "dimensions: must be between 1 and 65536"],
    ["too many dimensions", { input: "a", dimensions: 33 }, 400, "dimensions: must be at most 32"],
    ["another format", { input: "a", encoding_format: "int8" }, 400, "must be one of float, base64"],
    ["an unknown model", { input: "a", model: "nobody" }, 404, "The model 'nobody' does not exist"],
    [
      "a chat model",
      { input: "a", model: "hearth-tiny-5m" },
      400,
      "model: 'hearth-tiny-5m' cannot embed: it is a chat model. Models that can: 'bert', 'bge-small'",
    ],
  ])("refuses %s, naming the field", async (_, body, status, message) => {
    expect(await refusal(body)).toEqual([status, expect.stringContaining(message)]);
  });

  it("serves a file without a manifest like one with it", async () => {
    expect(await vectorsOf("untried", "a cat")).toEqual(await vectorsOf("bert", "a cat"));
  });

  it("accepts an input that fills the context", async () => {
    const answer = await embed("bert", "cat ".repeat(contextTokens - 2));
    expect(answer.usage.prompt_tokens).toBe(contextTokens);
  });

  it("is named by chat routes that get an embedding model", async () => {
    const chatting = shared().client.chat.completions.create({
      model: "bert",
      messages: [{ role: "user", content: "Hi" }],
    });
    await expect(chatting).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("'bert' is an embedding model: use it at /v1/embeddings") as string,
    });
  });
});

describe("the lists of models", () => {
  const getJson = async (path: string): Promise<unknown> =>
    (await fetch(`${shared().url}/v1/${path}`, { headers: { authorization: `Bearer ${testKey}` } })).json();

  it("separate embedding models from language models, and list both in /v1/models", async () => {
    const bert = {
      id: "bert",
      fingerprint: expect.stringMatching(/^fp_/) as string,
      max_prompt_length: contextTokens,
      object: "model",
      owned_by: "hearth",
      created: expect.any(Number) as number,
      version: expect.any(String) as string,
      input_modalities: ["text"],
      output_modalities: ["embedding"],
      prompt_text_token_price: price,
      prompt_image_token_price: 0,
      aliases: [],
    };
    const { models } = (await getJson("embedding-models")) as { readonly models: readonly object[] };
    expect(models[0]).toEqual(bert);
    expect(await getJson("embedding-models/bert")).toEqual(bert);
    expect(await getJson("embedding-models/hearth-tiny-5m")).toMatchObject({
      error: { code: "model_not_found" },
    });
    expect(JSON.stringify(await getJson("language-models"))).not.toContain('"bert"');
    expect(JSON.stringify(await getJson("models"))).toContain('"bert"');
  });
});
