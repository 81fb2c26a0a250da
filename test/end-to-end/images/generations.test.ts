import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { generateImage } from "ai";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { testKey } from "../../harness.js";
import { createScriptedPainter } from "../../scripted-painter.js";
import {
  askDrawing,
  drawingServer,
  filesOf,
  headers,
  messageOf,
  painterModel,
  price,
} from "./image-server.js";

describe("POST /v1/images/generations", () => {
  it("draws for the official client, says what it drew, and is charged for it", async () => {
    const server = await drawingServer();
    const answer = await server.client.images.generate({
      ...{ model: painterModel, prompt: "a red cat", response_format: "b64_json", size: "1024x1024" },
    });
    const [image] = answer.data ?? [];
    const { format, width, height } = await sharp(Buffer.from(image?.b64_json ?? "", "base64")).metadata();
    expect([format, width, height]).toEqual(["png", 64, 64]);
    expect(image?.revised_prompt).toBe("a red cat");
    expect(image?.url).toBeUndefined();
    expect(answer).toMatchObject({
      size: "64x64",
      output_format: "png",
      usage: { cost_in_usd_ticks: price },
    });
    const [run] = await server.app.runs.list(1);
    expect(run).toMatchObject({
      model: painterModel,
      state: "completed",
      costTicks: price,
      endpoint: "/v1/images/generations",
    });
    expect(run?.usage).toMatchObject({ images: 1, promptTokens: 0 });
    expect(await filesOf(server)).toEqual([]);
  });

  it("law: the same seed gives the same bytes, n images cost n times one and are those of the next seeds", async () => {
    const { client } = await drawingServer();
    const draw = async (n: number, seed: number) => {
      const body = { model: painterModel, prompt: "red", n, response_format: "b64_json", seed } as const;
      const { data = [], usage } = await client.images.generate(body);
      const told = data as readonly { readonly b64_json?: string; readonly seed?: number }[];
      return {
        images: told.map(({ b64_json: bytes }) => bytes),
        seeds: told.map((each) => each.seed),
        usage,
      };
    };
    const three = await draw(3, 2 ** 32 - 2);
    expect(three.seeds).toEqual([2 ** 32 - 2, 2 ** 32 - 1, 0]);
    expect(new Set(three.images).size).toBe(3);
    expect(three.usage).toEqual({ cost_in_usd_ticks: 3 * price });
    for (const [index, seed] of three.seeds.entries()) {
      const one = await draw(1, seed ?? -1);
      expect(one.images).toEqual([three.images[index]]);
      expect(one.usage).toEqual({ cost_in_usd_ticks: price });
    }
  });

  it("draws another image each time where no seed is given, and tells the seed that draws it again", async () => {
    const { client } = await drawingServer();
    const draw = async (seed?: number) => {
      const body = {
        model: painterModel,
        prompt: "red",
        response_format: "b64_json",
        ...(seed === undefined ? {} : { seed }),
      } as const;
      const [image] = (await client.images.generate(body)).data ?? [];
      return image as { readonly b64_json: string; readonly seed: number };
    };
    const [one, other] = [await draw(), await draw()];
    expect(one.seed).not.toBe(other.seed);
    expect((await draw(one.seed)).b64_json).toBe(one.b64_json);
  });

  it("draws the shape that is asked for, as near as the model can", async () => {
    const server = await drawingServer();
    const sizes = {
      "80x48": { aspect_ratio: "16:9" },
      "48x80": { aspect_ratio: "9:16" },
      "32x64": { size: "32x64" },
    };
    for (const [size, body] of Object.entries(sizes)) {
      const answer = (await (await askDrawing(server, { ...body, response_format: "b64_json" })).json()) as {
        readonly size: string;
        readonly data: readonly { readonly b64_json: string }[];
      };
      const { width, height } = await sharp(Buffer.from(answer.data[0]?.b64_json ?? "", "base64")).metadata();
      expect([answer.size, `${width}x${height}`]).toEqual([size, size]);
    }
  });

  it("says how much of a long prompt the model has read", async () => {
    const server = await drawingServer();
    const answer = await server.client.images.generate({
      ...{ model: painterModel, prompt: `Red ${"a ".repeat(100)}`, response_format: "b64_json" },
    });
    expect(answer.data?.[0]?.revised_prompt).toBe(`Red ${"a ".repeat(74)}`.trim());
  });

  it("takes the first model that draws where none is named", async () => {
    const { client } = await drawingServer();
    const answer = await client.images.generate({ prompt: "red", response_format: "b64_json" });
    expect(answer.data).toHaveLength(1);
  });

  it("is what the AI SDK's xai and openai clients ask for images", async () => {
    const { url } = await drawingServer();
    const settings = { baseURL: `${url}/v1`, apiKey: testKey };
    const xai = await generateImage({
      ...{
        model: createXai(settings).image(painterModel),
        prompt: "red",
        n: 2,
        aspectRatio: "16:9",
        maxRetries: 0,
      },
    });
    expect((await sharp(xai.images[1]?.uint8Array).metadata()).format).toBe("png");
    const openai = await generateImage({
      ...{ model: createOpenAI(settings).image(painterModel), prompt: "red", size: "256x256", maxRetries: 0 },
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
    [{ stream: true }, 400, "stream: streams of images are not supported"],
    [{ model: "hearth-tiny-5m" }, 400, "model: 'hearth-tiny-5m' is a model that answers conversations"],
    [{ model: "nobody" }, 404, "The model 'nobody' does not exist"],
  ])("F1: refuses %j with %d, naming the field", async (body, status, message) => {
    const response = await askDrawing(await drawingServer({ painter: createScriptedPainter() }), body);
    expect([response.status, await messageOf(response)]).toEqual([status, expect.stringContaining(message)]);
  });

  it("a model that draws answers no conversation, and says where to ask it", async () => {
    const { client } = await drawingServer();
    const chatting = client.chat.completions.create({
      model: painterModel,
      messages: [{ role: "user", content: "Hi" }],
    });
    await expect(chatting).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("ask for it at /v1/images/generations") as string,
    });
  });
});

describe("the lists of models", () => {
  it("are true to what is there: what draws is no language model, and what answers draws nothing", async () => {
    const { url, client } = await drawingServer();
    const told = async (path: string) => {
      const response = await fetch(`${url}/v1/${path}`, { headers });
      return (await response.json()) as { readonly models: readonly { readonly id: string }[] };
    };
    expect((await told("language-models")).models.map(({ id }) => id)).not.toContain(painterModel);
    expect((await told("image-generation-models")).models).toContainEqual({
      ...{ id: painterModel, object: "model", owned_by: "hearth", version: "1", created: 1_795_219_200 },
      fingerprint: expect.stringMatching(/^fp_/) as string,
      ...{ max_prompt_length: 4000, input_modalities: ["text"], output_modalities: ["image"] },
      ...{ image_price: 1, image_price_in_usd_ticks: price, aliases: [`${painterModel}-alias`] },
    });
    expect(await told(`image-generation-models/${painterModel}-alias`)).toMatchObject({ id: painterModel });
    expect((await fetch(`${url}/v1/language-models/${painterModel}`, { headers })).status).toBe(404);
    expect((await fetch(`${url}/v1/image-generation-models/hearth-tiny-5m`, { headers })).status).toBe(404);
    const all = await client.models.list();
    expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining([painterModel, "hearth-tiny-5m"]));
  });

  it("of what is in memory tell of one that draws", async () => {
    const { url, client } = await drawingServer();
    await client.images.generate({ model: painterModel, prompt: "red", response_format: "b64_json" });
    const response = await fetch(`${url}/v1/hearth/ps`, { headers });
    expect(await response.json()).toMatchObject({
      data: [{ id: painterModel, device: "cpu", slots: 1, slots_held: 0 }],
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(`hearth_image_steps_total{model="${painterModel}"} 3`);
    expect(metrics).toContain(`hearth_images_total{model="${painterModel}"} 1`);
  });
});
