/** Servers with models that see or hear, and what their tests ask. */
import { join } from "node:path";
import sharp from "sharp";
import type OpenAI from "openai";
import { describe } from "vitest";
import { explainMissing } from "../../../src/engine/native/native-library.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import type { ModelSpec } from "../../kit/models/gguf-writer.js";
import { writeSeeingModel, type SeeingFamily } from "../../kit/models/seeing-models.js";
import { startServer, type TestServer } from "../../kit/server.js";

const missing = explainMissing(join(root, "dist/native"), "media");

/** What the names of tests say where models cannot see, and what runs them where they can. */
export const [withoutMedia, describeMedia] =
  missing === null ? ["", describe] : [` (not run: ${missing})`, describe.runIf(false)];

/** A server with a model of each family, under the family's name. */
export async function startMediaServer(
  families: readonly SeeingFamily[],
  { environment = {}, ...changes }: Partial<ModelSpec> & { readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<TestServer & { readonly models: string }> {
  const models = temporaryFolder();
  for (const family of families) await writeSeeingModel(models, family, changes);
  const server = await startServer({ environment: { HEARTH_MODELS: models, ...environment } });
  return { ...server, models };
}

/** A PNG with a pattern of its own for each seed. */
export async function picture(width: number, height: number, seed = 1): Promise<Buffer> {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      rgb[at++] = ((x * 255) / width) ^ ((seed * 37) & 255);
      rgb[at++] = (y * 255) / height;
      rgb[at++] = (((x >> 3) ^ (y >> 3)) & 1) * 200 + ((x * y * seed) % 32);
    }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

export function imagePart(png: Buffer): OpenAI.Chat.ChatCompletionContentPartImage {
  return { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } };
}

export function soundPart(
  file: Buffer,
  format: "wav" | "mp3" = "wav",
): OpenAI.Chat.ChatCompletionContentPartInputAudio {
  return { type: "input_audio", input_audio: { data: file.toString("base64"), format } };
}

/** Images are PNG, all else is sound. */
function partOf(file: Buffer): OpenAI.Chat.ChatCompletionContentPart {
  return file.toString("latin1", 1, 4) === "PNG" ? imagePart(file) : soundPart(file);
}

/** A greedy answer to texts, images and sounds, with the log probabilities of its tokens. */
export async function look(
  { client }: TestServer,
  model: string,
  parts: readonly (string | Buffer)[],
  tokens = 24,
): Promise<OpenAI.Chat.ChatCompletion> {
  const content = parts.map((part) =>
    typeof part === "string" ? { type: "text" as const, text: part } : partOf(part),
  );
  return client.chat.completions.create({
    model,
    messages: [{ role: "user", content }],
    temperature: 0,
    max_tokens: tokens,
    logprobs: true,
    top_logprobs: 5,
  });
}

/** Returns how many tokens of a prompt were images. */
export function imageTokensOf({ usage }: OpenAI.Chat.ChatCompletion): number {
  return (usage?.prompt_tokens_details as { image_tokens?: number } | undefined)?.image_tokens ?? 0;
}
