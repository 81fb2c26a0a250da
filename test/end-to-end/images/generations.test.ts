import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { generateImage } from "ai";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { testKey } from "../../kit/server/settings.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import {
  requestImages,
  startImageServer,
  imageFilesOf,
  headers,
  messageOf,
  imageModelId,
  price,
} from "./image-server.js";

describe("POST /v1/images/generations", () => {
  it("generates an image for the official client, reports what it generated, and is charged", async () => {
    const server = await startImageServer();
    const answer = await server.client.images.generate({
      model: imageModelId,
      prompt: "a red cat",
      response_format: "b64_json",
      size: "1024x1024",
    });
    const [image] = answer.data ?? [];
    const { format, width, height } = await sharp(Buffer.from(image?.b64_json ?? "", "base64")).metadata();
    expect([format, width, height]).toEqual(["png", 64, 64]);
    expect(image?.revised_prompt).toBe("a red cat");
    expect(image?.url).toBeUndefined();
    expect(answer).toMatchObject({
      size: "64x64",
      output_format: "png",
      usage: {
        input_tokens: 7,
        input_tokens_details: { text_tokens: 7, image_tokens: 0 },
        output_tokens: 64,
        output_tokens_details: { text_tokens: 0, image_tokens: 64 },
        total_tokens: 71,
        cost_in_usd_ticks: price,
      },
    });
    const [run] = await server.app.runs.list(1);
    expect(run).toMatchObject({
      model: imageModelId,
      state: "completed",
      costTicks: price,
      endpoint: "/v1/images/generations",
    });
    expect(run?.usage).toMatchObject({ images: 1, promptTokens: 0 });
    expect(await imageFilesOf(server)).toEqual([]);
  });

  it("law: the same seed gives the same bytes, n images cost n times one and are those of the next seeds", async () => {
    const { client } = await startImageServer();
    const draw = async (n: number, seed: number) => {
      const body = { model: imageModelId, prompt: "red", n, response_format: "b64_json", seed } as const;
      const { data = [], usage } = await client.images.generate(body);
      const images = data as readonly { readonly b64_json?: string; readonly seed?: number }[];
      return {
        images: images.map(({ b64_json: bytes }) => bytes),
        seeds: images.map((each) => each.seed),
        usage,
      };
    };
    const three = await draw(3, 2 ** 32 - 2);
    expect(three.seeds).toEqual([2 ** 32 - 2, 2 ** 32 - 1, 0]);
    expect(new Set(three.images).size).toBe(3);
    expect(three.usage).toMatchObject({ cost_in_usd_ticks: 3 * price });
    for (const [index, seed] of three.seeds.entries()) {
      const one = await draw(1, seed ?? -1);
      expect(one.images).toEqual([three.images[index]]);
      expect(one.usage).toMatchObject({ cost_in_usd_ticks: price });
      expect(three.usage?.total_tokens).toBe(3 * (one.usage?.total_tokens ?? 0));
    }
  });

  it("generates a different image each time without a seed, and returns the seed that reproduces it", async () => {
    const { client } = await startImageServer();
    const draw = async (seed?: number) => {
      const body = {
        model: imageModelId,
        prompt: "red",
        response_format: "b64_json",
        seed,
      } as const;
      const [image] = (await client.images.generate(body)).data ?? [];
      return image as { readonly b64_json: string; readonly seed: number };
    };
    const [one, other] = [await draw(), await draw()];
    expect(one.seed).not.toBe(other.seed);
    expect((await draw(one.seed)).b64_json).toBe(one.b64_json);
  });

  it("generates the size closest to the requested one", async () => {
    const server = await startImageServer();
    const sizes = {
      "80x48": { aspect_ratio: "16:9" },
      "48x80": { aspect_ratio: "9:16" },
      "32x64": { size: "32x64" },
    };
    for (const [size, body] of Object.entries(sizes)) {
      const answer = (await (
        await requestImages(server, { ...body, response_format: "b64_json" })
      ).json()) as {
        readonly size: string;
        readonly data: readonly { readonly b64_json: string }[];
      };
      const { width, height } = await sharp(Buffer.from(answer.data[0]?.b64_json ?? "", "base64")).metadata();
      expect([answer.size, `${width}x${height}`]).toEqual([size, size]);
    }
  });

  it("returns the part of a long prompt that the model has read", async () => {
    const server = await startImageServer();
    const answer = await server.client.images.generate({
      model: imageModelId,
      prompt: `Red ${"a ".repeat(100)}`,
      response_format: "b64_json",
    });
    expect(answer.data?.[0]?.revised_prompt).toBe(`Red ${"a ".repeat(74)}`.trim());
  });

  it("uses the first image model when none is named", async () => {
    const { client } = await startImageServer();
    const answer = await client.images.generate({ prompt: "red", response_format: "b64_json" });
    expect(answer.data).toHaveLength(1);
  });

  it("works with the AI SDK's xai and openai clients", async () => {
    const { url } = await startImageServer();
    const settings = { baseURL: `${url}/v1`, apiKey: testKey };
    const xai = await generateImage({
      model: createXai(settings).image(imageModelId),
      prompt: "red",
      n: 2,
      aspectRatio: "16:9",
      maxRetries: 0,
    });
    expect((await sharp(xai.images[1]?.uint8Array).metadata()).format).toBe("png");
    const openai = await generateImage({
      model: createOpenAI(settings).image(imageModelId),
      prompt: "red",
      size: "256x256",
      maxRetries: 0,
    });
    expect((await sharp(openai.image.uint8Array).metadata()).width).toBe(64);
  });

  it.each([
    [{ prompt: "" }, 400, "prompt: must not be empty"],
    [{ prompt: "x".repeat(4001) }, 400, "prompt: must be at most 4000 characters long"],
    [{ prompt: 7 }, 422, "prompt: must be a string"],
    [{ n: 0 }, 400, "n: must be between 1 and 10"],
    [{ n: 11 }, 400, "n: must be between 1 and 10"],
    [{ n: 1.5 }, 422, "n: must be an integer"],
    [{ size: "large" }, 400, "size: must be a width and a height in pixels"],
    [{ size: "0x64" }, 400, "size: must be a width and a height in pixels"],
    [{ aspect_ratio: "5:7" }, 400, "aspect_ratio: must be one of 1:1"],
    [{ output_format: "svg" }, 400, "output_format: must be one of png, jpeg, webp"],
    [{ background: "transparent" }, 400, "background: transparent images are not supported"],
    [{ background: "green" }, 400, "background: must be one of opaque, auto, transparent"],
    [{ quality: "best" }, 400, "quality: must be one of low"],
    [{ moderation: "strict" }, 400, "moderation: must be one of low, auto"],
    [{ output_compression: 101 }, 400, "output_compression: must be between 0 and 100"],
    [{ stream: true, response_format: "url" }, 400, "response_format: must be b64_json in a stream"],
    [{ stream: true, partial_images: 4 }, 400, "partial_images: must be between 0 and 3"],
    [{ stream: true, model: "nobody" }, 404, "The model 'nobody' does not exist"],
    [{ model: "hearth-tiny-5m" }, 400, "model: 'hearth-tiny-5m' is a chat model"],
    [{ model: "nobody" }, 404, "The model 'nobody' does not exist"],
  ])("F1: refuses %j with %d, naming the field", async (body, status, message) => {
    const response = await requestImages(
      await startImageServer({ imageEngine: createScriptedImageEngine() }),
      body,
    );
    expect([response.status, await messageOf(response)]).toEqual([status, expect.stringContaining(message)]);
  });

  it("rejects chats with an image model, and names the right endpoint", async () => {
    const { client } = await startImageServer();
    const chatting = client.chat.completions.create({
      model: imageModelId,
      messages: [{ role: "user", content: "Hi" }],
    });
    await expect(chatting).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("use it at /v1/images/generations") as string,
    });
  });
});

describe("the lists of models", () => {
  it("separate image models from language models", async () => {
    const { url, client } = await startImageServer();
    const getJson = async (path: string) => {
      const response = await fetch(`${url}/v1/${path}`, { headers });
      return (await response.json()) as { readonly models: readonly { readonly id: string }[] };
    };
    expect((await getJson("language-models")).models.map(({ id }) => id)).not.toContain(imageModelId);
    expect((await getJson("image-generation-models")).models).toContainEqual({
      id: imageModelId,
      object: "model",
      owned_by: "hearth",
      version: "1",
      created: 1_795_219_200,
      fingerprint: expect.stringMatching(/^fp_/) as string,
      max_prompt_length: 4000,
      input_modalities: ["text"],
      output_modalities: ["image"],
      image_price: 1,
      image_price_in_usd_ticks: price,
      aliases: [`${imageModelId}-alias`],
    });
    expect(await getJson(`image-generation-models/${imageModelId}-alias`)).toMatchObject({
      id: imageModelId,
    });
    expect((await fetch(`${url}/v1/language-models/${imageModelId}`, { headers })).status).toBe(404);
    expect((await fetch(`${url}/v1/image-generation-models/hearth-tiny-5m`, { headers })).status).toBe(404);
    const all = await client.models.list();
    expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining([imageModelId, "hearth-tiny-5m"]));
  });

  it("include a loaded image model", async () => {
    const { url, client } = await startImageServer();
    await client.images.generate({ model: imageModelId, prompt: "red", response_format: "b64_json" });
    const response = await fetch(`${url}/v1/hearth/ps`, { headers });
    expect(await response.json()).toMatchObject({
      data: [{ id: imageModelId, device: "cpu", slots: 1, slots_held: 0 }],
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(`hearth_image_steps_total{model="${imageModelId}"} 3`);
    expect(metrics).toContain(`hearth_images_total{model="${imageModelId}"} 1`);
  });
});
