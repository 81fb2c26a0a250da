/** What the server is asked about images: requests whose time is that of the image and little else. */
import sharp from "sharp";
import type { Picture } from "../../../src/core/images.js";
import { postJson, readText, type Target } from "../client.js";
import { benchModel } from "../server.js";

/**
 * Has the server describe an image without anybody's answering: it counts the tokens of a message that holds it.
 * @param file a PNG that it was not shown before. @returns milliseconds.
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

export interface DrawnAnswer {
  readonly ms: number;
  readonly width: number;
  readonly height: number;
}

/** Has the server draw one image, as large as the model draws, that it does not keep. */
export async function drawn(target: Target, model: string, seed: number): Promise<DrawnAnswer> {
  const body = { model, prompt: "draw a red circle on white", seed, response_format: "b64_json" };
  const { ms, text } = await ask(target, "/v1/images/generations", body);
  const { size } = JSON.parse(text) as { readonly size: string };
  const [width, height] = size.split("x").map(Number);
  return { ms, width: width ?? 0, height: height ?? 0 };
}

/** A PNG of a picture. */
export function pngOf({ width, height, rgb }: Picture): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

interface Asked {
  readonly ms: number;
  readonly text: string;
}

/** @throws Error with what came instead of an answer. */
async function ask(target: Target, path: string, body: object): Promise<Asked> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${target.key}` };
  const answer = await postJson(`${target.url}${path}`, JSON.stringify(body), headers);
  const text = await readText(answer);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return { ms: performance.now() - began, text };
}
