import { describe, expect, it } from "vitest";
import { forFile } from "../../kit/for-file.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { pngOf } from "../../kit/models/png-writer.js";
import { dataUrl, imagePart, imageFile, startCaptioningServer, textPart } from "./caption-server.js";

const shared = forFile((finished) => startCaptioningServer({}, undefined, finished));

const urlOf = (file: Buffer): string => `data:image/png;base64,${file.toString("base64")}`;

describe("an image that is rejected", () => {
  it.each([
    ["B1: no image", "data:image/png;base64,AAAA", /is not an image of a known type/],
    ["B1: an SVG", `data:image/png;base64,${Buffer.from("<svg/>").toString("base64")}`, /is an SVG image/],
    ["B4: loose base64", "data:image/png;base64,AA AA", /is not valid base64/],
    [
      "A1: a private address",
      "http://169.254.169.254/",
      /must be a data: URL; this server fetches no images/,
    ],
    ["A4: a file", "file:///etc/passwd", /must be a data:, http: or https: URL/],
  ])("is refused with the field that holds it: %s", async (_case, url, message) => {
    const asked = shared().client.chat.completions.create({
      model: builtInModel,
      messages: [
        { role: "user", content: "Hello" },
        { role: "user", content: [textPart("?"), imagePart(url)] },
      ],
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param: "messages.1.content.1.image_url.url",
      message,
    });
  });

  it("B3: has more images than the limit, before any is decoded", async () => {
    const url = "data:image/png;base64,AAAA";
    const asked = shared().ask(Array.from({ length: 1000 }, () => imagePart(url)));
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param: "messages.0.content.32.image_url.url",
      message: /at most 32 images, this one holds 1000/,
    });
  });

  it("B2: is a small file with too many pixels, and the next request is served", async () => {
    const asked = shared().ask([imagePart(urlOf(pngOf(30_000, 30_000, Buffer.alloc(1000))))]);
    await expect(asked).rejects.toMatchObject({ status: 400, message: /has more than 50000000 pixels$/ });
    const { prompt } = await shared().ask([imagePart(await dataUrl("red"))]);
    expect(prompt).toContain("[image: red picture]");
  });

  it("B3: is distinguished from an image with the same pixel values and another palette", async () => {
    // 64 rows of 64 pixels, each behind the byte of its filter, all of the palette's first colour.
    const indexed = (colour: readonly number[]): string =>
      urlOf(pngOf(64, 64, Buffer.alloc(64 * 65), Buffer.from(colour)));
    const [red, blue] = [indexed([255, 0, 0]), indexed([0, 0, 255])];
    const { prompt } = await shared().ask([imagePart(red), imagePart(blue), imagePart(red)]);
    expect(prompt).toContain("[image: red picture]\n[image: blue picture]\n[image: red picture]");
  });

  it("B5: is rejected with the server's own message when its file is truncated", async () => {
    const file = await imageFile("red");
    const asked = shared().ask([imagePart(urlOf(file.subarray(0, file.length / 2)))]);
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: /is damaged, not whole, or takes too long to decode$/,
    });
  });

  it("A8: is not fetched from a host in the request's headers", async () => {
    const body = { model: builtInModel, messages: [{ role: "user", content: [imagePart("/a.png")] }] };
    const answer = await fetch(`${shared().url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, api_base: shared().url, base_url: shared().url, imageFetch: ["*"] }),
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("is not a data: or http(s) URL"),
    ]);
  });

  it("is rejected by name on a server without a vision model", async () => {
    const blind = await startCaptioningServer({ HEARTH_VISION_MODEL: "gone" }, null);
    const asked = blind.ask([imagePart(await dataUrl("red"))]);
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: "unsupported_parameter",
      message: /messages\.0\.content\.0\.image_url\.url: images are not supported by this server/,
    });
  });
});

describe("the available models", () => {
  const get = async (path: string): Promise<{ models: { id: string; input_modalities: string[] }[] }> =>
    (
      await fetch(`${shared().url}/v1/${path}`, { headers: { authorization: `Bearer ${testKey}` } })
    ).json() as never;

  it("have the same price for images as for the text of their descriptions", async () => {
    const { models } = await get("language-models");
    const chat = models.find(({ id }) => id === builtInModel) as Record<string, unknown> | undefined;
    expect(chat?.["prompt_image_token_price"]).toBe(chat?.["prompt_text_token_price"]);
    expect(chat?.["prompt_image_token_price"]).not.toBe(0);
  });

  it("list image input for chat models, and do not list the vision model for chats", async () => {
    const { models } = await get("language-models");
    expect(models.find(({ id }) => id === builtInModel)?.input_modalities).toEqual(["text", "image"]);
    expect(models.some(({ id }) => id === "test-seer")).toBe(false);
    expect((await shared().client.models.list()).data.map(({ id }) => id)).not.toContain("test-seer");
    const asked = shared().client.chat.completions.create({
      model: "test-seer",
      messages: [{ role: "user", content: "Hello" }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, message: /describes images/ });
  });
});
