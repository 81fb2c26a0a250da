/** Images that a model reads itself, by the projector beside its weights. */
import { writeFileSync } from "node:fs";
import type OpenAI from "openai";
import { expect, it } from "vitest";
import { runProgram } from "../../kit/program.js";
import { fileServer, startServer } from "../../kit/server.js";
import { projectorBytes, writeSeeingModel } from "../../kit/models/seeing-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { isNightly } from "../../kit/sizes.js";
import { headersOf } from "../../kit/server/requests.js";
import { testKey } from "../../kit/server/settings.js";
import { describeMedia, imagePart, imageTokensOf, look, picture, withoutMedia } from "./media-server.js";

const families = ["idefics3", "qwen2vl", "gemma3"] as const;

let folder = "";
const server = fileServer(async (finished) => {
  folder = temporaryFolder(finished);
  for (const family of families) await writeSeeingModel(folder, family);
  return { environment: { HEARTH_MODELS: folder } };
});
const shared = () => ({ ...server(), models: folder });

const answer = (completion: OpenAI.Chat.ChatCompletion): string =>
  completion.choices[0]?.message.content ?? "";
const logprob = ({ choices: [choice] }: OpenAI.Chat.ChatCompletion): number =>
  choice?.logprobs?.content?.[0]?.logprob ?? 0;
const cached = ({ usage }: OpenAI.Chat.ChatCompletion): number =>
  usage?.prompt_tokens_details?.cached_tokens ?? 0;

describeMedia(`an image in a conversation with a model that sees${withoutMedia}`, () => {
  it.each(families)("%s: counts as the tokens that it takes, and is evaluated once", async (family) => {
    const parts = ["hello ", await picture(200, 120), " world"];
    const first = await look(shared(), family, parts, 8);
    const second = await look(shared(), family, parts, 8);
    expect(answer(second)).toBe(answer(first));
    const prompt = first.usage?.prompt_tokens ?? 0;
    const images = imageTokensOf(first);
    expect(images).toBeGreaterThan(10);
    expect(images).toBeLessThan(prompt);
    // All but the last token, with which the answer begins.
    expect(cached(second)).toBe(prompt - 1);
  });

  it.each(families)("%s: another image is another prompt, and has another answer", async (family) => {
    const ask = async (seed: number) =>
      look(shared(), family, ["hello ", await picture(200, 120, seed), " world"], 8);
    const [one, other] = [await ask(11), await ask(12)];
    expect(logprob(other)).not.toBeCloseTo(logprob(one), 5);
    expect(cached(other)).toBeLessThanOrEqual((other.usage?.prompt_tokens ?? 0) - imageTokensOf(other));
  });

  it.each(families)("%s: several at a time are answered as alone", async (family) => {
    const asks = await Promise.all(
      [21, 22, 23].map(async (seed) => [
        "see ",
        await picture(160, 120, seed),
        " user ",
        await picture(60, 90, seed),
      ]),
    );
    const together = await Promise.all(asks.map((parts) => look(shared(), family, parts, 6)));
    const alone = [];
    for (const parts of asks) alone.push(await look(shared(), family, parts, 6));
    expect(together.map(answer)).toEqual(alone.map(answer));
  });

  it("survives a restart in the prefix cache, where it is not encoded again", async () => {
    const environment = { HEARTH_MODELS: shared().models, HEARTH_DATA: temporaryFolder() };
    const parts = ["hello ".repeat(90), await picture(300, 200, 41), " world"];
    const first = await startServer({ environment, hasOwnEngine: true });
    const before = await look(first, "qwen2vl", parts, 6);
    await first.app.close();
    const second = await startServer({ environment, hasOwnEngine: true });
    const after = await look(second, "qwen2vl", parts, 6);
    expect(answer(after)).toBe(answer(before));
    expect(cached(after)).toBe((after.usage?.prompt_tokens ?? 0) - 1);
  });

  it("is read by a model whose state cannot be truncated, and continues from what it kept", async () => {
    const models = temporaryFolder();
    await writeSeeingModel(models, "idefics3", { architecture: "lfm2" });
    const own = await startServer({ environment: { HEARTH_MODELS: models } });
    const parts = ["hello ", await picture(200, 120, 61), " world the user system ".repeat(4)];
    const first = await look(own, "idefics3", parts, 6);
    const second = await look(own, "idefics3", parts, 6);
    expect(answer(second)).toBe(answer(first));
    expect(cached(second)).toBeGreaterThan(100);
  });

  it("is read in deterministic mode, by several choices, and in the result of a tool", async () => {
    const { client } = shared();
    const image = imagePart(await picture(120, 90, 51));
    const asked = await client.chat.completions.create({
      model: "gemma3",
      messages: [{ role: "user", content: [image, { type: "text", text: "see" }] }],
      temperature: 0,
      max_tokens: 4,
      n: 3,
    });
    const texts = new Set(asked.choices.map(({ message }) => message.content));
    expect(texts.size).toBe(1);
    const responses = await client.responses.create({
      model: "gemma3",
      input: [
        { role: "user", content: "see" },
        { type: "function_call", call_id: "c", name: "camera", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_image", image_url: image.image_url.url, detail: "auto" }],
        },
      ],
      max_output_tokens: 4,
      temperature: 0,
    });
    expect(responses.usage?.output_tokens).toBe(4);
    expect(responses.usage?.input_tokens).toBeGreaterThan(16);
  });

  it("a client that leaves ends the encode, and the next request is answered", async () => {
    const image = await picture(2000, 1500, 31);
    const body = {
      model: "idefics3",
      messages: [{ role: "user", content: [{ type: "text", text: "look " }, imagePart(image)] }],
      max_tokens: 4,
      temperature: 0,
    };
    const expected = await look(shared(), "idefics3", ["look ", await picture(64, 64, 32)], 4);
    const leaving = new AbortController();
    const left = fetch(`${shared().url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headersOf(testKey) },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    setImmediate(() => leaving.abort());
    await expect(left).rejects.toThrow();
    const next = await look(shared(), "idefics3", ["look ", await picture(64, 64, 32)], 4);
    expect(answer(next)).toBe(answer(expected));
  });

  it.each([
    [1, 2000],
    [2000, 1],
    [1, 1],
  ])(
    "C1: one of %i x %i pixels, over which libmtmd would assert, is answered by every family",
    async (width, height) => {
      const image = await picture(width, height, 71);
      for (const family of families) {
        const looked = await look(shared(), family, ["see ", image], 2);
        expect(looked.usage?.completion_tokens).toBe(2);
      }
    },
  );

  it("one that is damaged is refused with its field", async () => {
    const damaged = (await picture(64, 64)).subarray(0, 200);
    const asking = shared().client.chat.completions.create({
      model: "gemma3",
      messages: [{ role: "user", content: [imagePart(Buffer.from(damaged))] }],
    });
    await expect(asking).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("messages.0.content.0.image_url") as unknown,
    });
  });
});

/** Each takes a server of its own. */
const unusable: readonly (readonly [what: string, bytes: () => Buffer])[] = [
  ["that is cut", () => projectorBytes("gemma3").subarray(0, 100_000)],
  ["of another model", () => projectorBytes("gemma3", { text: 128 })],
  [
    "of an unknown kind",
    () => Buffer.from(projectorBytes("gemma3").toString("latin1").replace("gemma3", "gemma9"), "latin1"),
  ],
];

describeMedia(`a projector${withoutMedia}`, () => {
  it("is no model of its own, and makes its model read images", async () => {
    const { client } = shared();
    const models = (await client.models.list()).data.map(({ id }) => id);
    expect(models).toEqual(expect.arrayContaining([...families]));
    expect(models.filter((id) => id.includes("mmproj"))).toEqual([]);
    const { url } = shared();
    const listed = await (
      await fetch(`${url}/v1/language-models/gemma3`, { headers: headersOf(testKey) })
    ).json();
    expect(listed).toMatchObject({ input_modalities: ["text", "image"] });
  });

  it.each(isNightly(process.env) ? unusable : unusable.slice(0, 1))(
    "%s is not used: its model answers without it, and images are described",
    async (_, bytes) => {
      const models = temporaryFolder();
      const { projector } = await writeSeeingModel(models, "gemma3");
      writeFileSync(projector, bytes());
      const own = await startServer({ environment: { HEARTH_MODELS: models }, hasOwnEngine: true });
      const text = await look(own, "gemma3", ["hello"], 4);
      expect(text.usage?.completion_tokens).toBe(4);
      const described = await look(own, "gemma3", ["hello ", await picture(64, 64)], 4);
      expect(described.usage?.completion_tokens).toBe(4);
      const listed = runProgram(["ls"], { HEARTH_MODELS: models, HEARTH_DATA: own.data });
      expect(await listed.exited).toBe(0);
      expect(listed.stdout()).toContain(
        "gemma3 reads text alone: its projector mmproj-gemma3.gguf cannot be used: ",
      );
      expect(listed.stdout()).not.toMatch(/^mmproj/m);
    },
  );
});
