/** Requests about images that take little time apart from the image itself. */
import sharp from "sharp";
import type { DecodedImage } from "../../../../src/core/images.js";
import { postJson, readText, type Target } from "../../world/client.js";
import { benchModel } from "../../world/server.js";

/**
 * Makes the server caption an image without generating an answer, by counting the tokens of a message with
 * the image.
 * @param file a PNG that was not sent before @returns milliseconds
 */
export async function describeMs(target: Target, file: Buffer): Promise<number> {
  const source = { type: "base64", media_type: "image/png", data: file.toString("base64") };
  const content = [{ type: "image", source }];
  const { ms } = await ask(target, "/v1/messages/count_tokens", {
    model: benchModel,
    messages: [{ role: "user", content }],
  });
  return ms;
}

export interface GeneratedImage {
  readonly ms: number;
  readonly width: number;
  readonly height: number;
}

/** Generates one image in the model's default size, without storing it. */
export async function generateImage(target: Target, model: string, seed: number): Promise<GeneratedImage> {
  const body = { model, prompt: "draw a red circle on white", seed, response_format: "b64_json" };
  const { ms, text } = await ask(target, "/v1/images/generations", body);
  const { size } = JSON.parse(text) as { readonly size: string };
  const [width, height] = size.split("x").map(Number);
  return { ms, width: width ?? 0, height: height ?? 0 };
}

/** Encodes a picture as PNG. */
export function pngOf({ width, height, rgb }: DecodedImage): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

interface Asked {
  readonly ms: number;
  readonly text: string;
}

/** @throws Error with the response if the status is not 200 */
async function ask(target: Target, path: string, body: object): Promise<Asked> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${target.key}` };
  const answer = await postJson(`${target.url}${path}`, JSON.stringify(body), headers);
  const text = await readText(answer);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return { ms: performance.now() - began, text };
}
