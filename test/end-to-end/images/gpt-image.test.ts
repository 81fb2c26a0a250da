/** Images as clients of the hosted service ask gpt-image models for them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateImage } from "ai";
import type { ImageGenStreamEvent } from "openai/resources/images";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { temporaryFolder } from "../../kit/folder.js";
import { testKey } from "../../kit/server/settings.js";
import { imageFilesOf, imageModelId, requestImages, startImageServer } from "./image-server.js";

/** Starts a server whose image model has names of hosted ones. */
function startAliased() {
  const file = join(temporaryFolder(), "hearth.yaml");
  writeFileSync(
    file,
    JSON.stringify({ models: { [imageModelId]: { aliases: ["gpt-image-*", "dall-e-3"] } } }),
  );
  return startImageServer({ environment: { HEARTH_CONFIG: file } });
}

describe("a request of a gpt-image model", () => {
  it("gets the image as data and its settings, and stores none, by the name of an alias", async () => {
    const server = await startAliased();
    const answer = await server.client.images.generate({ model: "gpt-image-1.5", prompt: "red" });
    const [image] = answer.data ?? [];
    expect(image?.url).toBeUndefined();
    expect((await sharp(Buffer.from(image?.b64_json ?? "", "base64")).metadata()).format).toBe("png");
    expect(answer).toMatchObject({ background: "opaque", output_format: "png", quality: "medium" });
    expect(await imageFilesOf(server)).toEqual([]);
    const older = await server.client.images.generate({ model: "dall-e-3", prompt: "red", quality: "hd" });
    expect([older.data?.[0]?.b64_json, older.data?.[0]?.url, older.quality]).toEqual([
      undefined,
      expect.stringContaining("/images/"),
      "high",
    ]);
  });

  it("works with the AI SDK, which asks gpt-image models for no form", async () => {
    const { url } = await startAliased();
    const { image } = await generateImage({
      model: createOpenAI({ baseURL: `${url}/v1`, apiKey: testKey }).image("gpt-image-1"),
      prompt: "red",
      providerOptions: { openai: { quality: "low", outputFormat: "webp" } },
      maxRetries: 0,
    });
    expect((await sharp(image.uint8Array).metadata()).format).toBe("webp");
  });

  it.each([
    [{ output_format: "png" }, "b64_json"],
    [{ output_compression: 50 }, "b64_json"],
    [{ background: "auto" }, "b64_json"],
    [{ moderation: "low" }, "b64_json"],
    [{ quality: "auto" }, "b64_json"],
    [{ size: "auto" }, "b64_json"],
    [{ output_format: "png", response_format: "url" }, "url"],
    [{ quality: "hd", style: "vivid", size: "1024x1024", user: "x" }, "url"],
    [{ output_format: null, quality: null, background: null }, "url"],
  ])("with %j gets %s", async (body, form) => {
    const server = await startImageServer({ imageEngine: createScriptedImageEngine() });
    const answer = (await (await requestImages(server, body)).json()) as { data: readonly object[] };
    expect(Object.keys(answer.data[0] ?? {})).toContain(form);
  });

  it("streams each finished image to the official client as one event, without partial images", async () => {
    const { client } = await startImageServer();
    const body = { model: imageModelId, prompt: "red", n: 2, output_format: "jpeg" } as const;
    const seeds = { seed: 7 };
    const whole = await client.images.generate({ ...body, ...seeds });
    const events: ImageGenStreamEvent[] = [];
    for await (const event of await client.images.generate({
      ...body,
      ...seeds,
      stream: true,
      partial_images: 2,
    }))
      events.push(event);
    expect(events.map(({ b64_json: data }) => data)).toEqual(whole.data?.map(({ b64_json: data }) => data));
    const totals = events.map((event) =>
      event.type === "image_generation.completed" ? event.usage.total_tokens : 0,
    );
    expect(totals.reduce((sum, each) => sum + each, 0)).toBe(whole.usage?.total_tokens);
    expect(events[0]).toMatchObject({
      type: "image_generation.completed",
      created_at: expect.any(Number) as number,
      size: "64x64",
      output_format: "jpeg",
      background: "opaque",
      quality: "medium",
    });
  });

  it("encodes the requested format with the requested compression", async () => {
    const { client } = await startImageServer();
    for (const format of ["jpeg", "webp"] as const) {
      const sizeAt = async (output_compression: number): Promise<number> => {
        const body = {
          model: imageModelId,
          prompt: "red",
          seed: 1,
          output_format: format,
          output_compression,
        };
        const { data = [], output_format: named } = await client.images.generate(body);
        const bytes = Buffer.from(data[0]?.b64_json ?? "", "base64");
        expect([(await sharp(bytes).metadata()).format, named]).toEqual([format, format]);
        return bytes.length;
      };
      expect(await sizeAt(5)).toBeLessThan(await sizeAt(95));
    }
  });
});
