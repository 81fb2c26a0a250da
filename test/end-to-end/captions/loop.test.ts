import Anthropic from "@anthropic-ai/sdk";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { goRound } from "../../../scripts/train/eval-builtin/loop.js";
import { render } from "../../kit/pictures/render.js";
import type { Scene } from "../../kit/pictures/scene.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { casesOf } from "../../kit/setup/random-cases.js";

/** A server with the built-in models only. */
const app = fileServer();

const imageModelId = "hearth-painter";
const question = "What is in this picture?";
/** The captioning model is certain about the image of this seed. */
const seed = 2;

/** Returns the chat model's description of a PNG. */
async function describeWithOpenAi(file: Uint8Array): Promise<string> {
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

/** The same, with Anthropic's client. */
async function describeWithAnthropic(file: Uint8Array): Promise<string> {
  const client = new Anthropic({ baseURL: app().url, apiKey: testKey, maxRetries: 0 });
  const data = Buffer.from(file).toString("base64");
  const body = {
    model: builtInModel,
    // Missing from the client's types, so the body is not a literal of the call.
    temperature: 0,
    max_tokens: 100,
    messages: [
      {
        role: "user" as const,
        content: [
          { type: "text" as const, text: question },
          {
            type: "image" as const,
            source: { type: "base64" as const, media_type: "image/png" as const, data },
          },
        ],
      },
    ],
  };
  const answer = await client.messages.create(body);
  return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Renders one large shape in the middle. */
async function imageOf(
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

describe("an image of the world that the built-in models were trained on", () => {
  it.each([
    ["red circle", "circle", [222, 40, 40], [252, 252, 252]],
    ["blue square", "square", [45, 95, 220], [250, 220, 50]],
    ["green circle", "circle", [50, 160, 70], [15, 15, 15]],
  ] as const)("is named by colour and shape to either client: a %s", async (name, shape, rgb, groundRgb) => {
    const file = await imageOf(shape, rgb, groundRgb);
    expect(await describeWithOpenAi(file)).toContain(name);
    expect(await describeWithAnthropic(file)).toContain(name);
  });
});

describe("an image that the built-in image model generates from a sentence", () => {
  const generateImage = async (format: "b64_json" | "url") => {
    // `seed` is missing from the client's types, so the body is not a literal of the call.
    const body = { model: imageModelId, prompt: "draw a red circle on white", response_format: format, seed };
    const { data = [] } = await app().client.images.generate(body);
    return data[0];
  };

  it("is described by colour and shape by the chat model, for the official client", async () => {
    const image = await generateImage("b64_json");
    expect(await describeWithOpenAi(Buffer.from(image?.b64_json ?? "", "base64"))).toContain("red circle");
  });

  it("is the same image by its URL, and is described for Anthropic's client", async () => {
    const file = new Uint8Array(await (await fetch((await generateImage("url"))?.url ?? "")).arrayBuffer());
    const inline = Buffer.from((await generateImage("b64_json"))?.b64_json ?? "", "base64");
    expect(inline.equals(file)).toBe(true);
    expect(await describeWithAnthropic(file)).toContain("red circle");
  });
});

it(
  "at least 85 % of the images from random requests are described by the requested colours and shapes",
  { timeout: 300_000 },
  async () => {
    const models = { painter: imageModelId, chat: builtInModel };
    const rounds = await goRound(app().client, models, casesOf(80));
    const failed = rounds.filter(({ lacks }) => lacks.length > 0);
    const mismatches = failed.map(({ prompt, answer }) => `${prompt} -> ${answer}`);
    expect(failed.length, mismatches.join("\n")).toBeLessThanOrEqual(0.15 * rounds.length);
  },
);

it("the built-in models are listed with the chat model first, the default of clients that name none", async () => {
  const { data } = await app().client.models.list();
  expect(data.map(({ id }) => id)).toEqual([builtInModel, "hearth-embed-1m", "hearth-painter-3m"]);
});
