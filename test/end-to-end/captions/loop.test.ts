import Anthropic from "@anthropic-ai/sdk";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { goRound } from "../../../scripts/eval-builtin/loop.js";
import { render } from "../../../scripts/eval-builtin/world/render.js";
import type { Scene } from "../../../scripts/eval-builtin/world/scene.js";
import { builtInModel, sharedApp, testKey } from "../../harness.js";

/** The models that come with the program, and no others. */
const app = sharedApp();

const painterModel = "hearth-painter";
const question = "What is in this picture?";
/** Of what the painter does with it the captioner is sure. */
const seed = 2;

/** What the chat model says of a PNG. */
async function said(file: Uint8Array): Promise<string> {
  const url = `data:image/png;base64,${Buffer.from(file).toString("base64")}`;
  const answer = await app().client.chat.completions.create({
    model: builtInModel,
    temperature: 0,
    max_completion_tokens: 100,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: question },
          { type: "image_url", image_url: { url } },
        ],
      },
    ],
  });
  return answer.choices[0]?.message.content ?? "";
}

/** The same, asked by Anthropic's client. */
async function saidToAnthropic(file: Uint8Array): Promise<string> {
  const client = new Anthropic({ baseURL: app().url, apiKey: testKey, maxRetries: 0 });
  const data = Buffer.from(file).toString("base64");
  const answer = await client.messages.create({
    model: builtInModel,
    // The client's types have lost it.
    ...{ temperature: 0 },
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: question },
          { type: "image", source: { type: "base64", media_type: "image/png", data } },
        ],
      },
    ],
  });
  return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** One large shape in the middle. */
async function pictureOf(
  shape: string,
  rgb: Scene["groundRgb"],
  groundRgb: Scene["groundRgb"],
): Promise<Buffer> {
  const thing = { shape, color: "red", size: "large", cell: 4, x: 0.5, y: 0.5, radius: 0.25, rgb } as const;
  const picture = render({ things: [thing], ground: "white", groundRgb }, 128);
  const { width, height } = picture;
  return sharp(picture.rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

describe("a picture of the world that the built-in models know", () => {
  it.each([
    ["red circle", "circle", [222, 40, 40], [252, 252, 252]],
    ["blue square", "square", [45, 95, 220], [250, 220, 50]],
    ["green circle", "circle", [50, 160, 70], [15, 15, 15]],
  ] as const)("is named by colour and shape to either client: a %s", async (name, shape, rgb, groundRgb) => {
    const file = await pictureOf(shape, rgb, groundRgb);
    expect(await said(file)).toContain(name);
    expect(await saidToAnthropic(file)).toContain(name);
  });
});

describe("what the built-in painter draws from a sentence", () => {
  const drawn = async (format: "b64_json" | "url") => {
    const [image] =
      (
        await app().client.images.generate({
          ...{ model: painterModel, prompt: "draw a red circle on white", response_format: format },
          // The client's types know no seed.
          ...{ seed },
        })
      ).data ?? [];
    return image;
  };

  it("is named by colour and shape by the chat model, to the official client", async () => {
    const image = await drawn("b64_json");
    expect(await said(Buffer.from(image?.b64_json ?? "", "base64"))).toContain("red circle");
  });

  it("is the same picture by its URL, and is named so to Anthropic's client", async () => {
    const file = new Uint8Array(await (await fetch((await drawn("url"))?.url ?? "")).arrayBuffer());
    const inline = Buffer.from((await drawn("b64_json"))?.b64_json ?? "", "base64");
    expect(inline.equals(file)).toBe(true);
    expect(await saidToAnthropic(file)).toContain("red circle");
  });
});

it(
  "a hundred pictures drawn from random requests are mostly named by colour and shape of all that was asked for",
  { timeout: 300_000 },
  async () => {
    const models = { painter: painterModel, chat: builtInModel };
    const rounds = await goRound(app().client, models, 100);
    const failed = rounds.filter(({ lacks }) => lacks.length > 0);
    const told = failed.map(({ prompt, answer }) => `${prompt} -> ${answer}`);
    expect(failed.length, told.join("\n")).toBeLessThanOrEqual(15);
  },
);

it("the built-in models are listed with the one that chats first, which clients take that ask for none", async () => {
  const { data } = await app().client.models.list();
  expect(data.map(({ id }) => id)).toEqual([builtInModel, "hearth-painter-3m"]);
});
