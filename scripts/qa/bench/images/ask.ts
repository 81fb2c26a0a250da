/** Requests about images that take little time apart from the image itself. */
import sharp from "sharp";
import type { DecodedImage } from "../../../../src/core/images/images.js";
import { postText, type Target } from "../../world/client.js";
import { tinyModel } from "../../world/server.js";
import { timed } from "../../figures/table.js";

/**
 * Makes the server caption an image without generating an answer, by counting the tokens of a message with
 * the image.
 * @param file a PNG that was not sent before @returns milliseconds
 */
export async function describeMs(target: Target, file: Buffer): Promise<number> {
  const source = { type: "base64", media_type: "image/png", data: file.toString("base64") };
  const content = [{ type: "image", source }];
  const body = { model: tinyModel, messages: [{ role: "user", content }] };
  return timed(() => postText(target, "/v1/messages/count_tokens", body));
}

export interface GeneratedImage {
  readonly ms: number;
  readonly width: number;
  readonly height: number;
}

/** Generates one image in the model's default size, without storing it. */
export async function generateImage(target: Target, model: string, seed: number): Promise<GeneratedImage> {
  const body = { model, prompt: "draw a red circle on white", seed, response_format: "b64_json" };
  const began = performance.now();
  const text = await postText(target, "/v1/images/generations", body);
  const ms = performance.now() - began;
  const { size } = JSON.parse(text) as { readonly size: string };
  const [width, height] = size.split("x").map(Number);
  return { ms, width: width ?? 0, height: height ?? 0 };
}

/** Encodes a picture as PNG. */
export function encodePng({ width, height, rgb }: DecodedImage): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
