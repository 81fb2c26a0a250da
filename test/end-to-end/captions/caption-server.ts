/** A server with a scripted chat model, whose prompts a test can read, and a real vision model. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import sharp from "sharp";
import { createScriptedEngine, type ScriptedEngine } from "../../kit/scripted/engine.js";
import { temporaryFolder, type Finished } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";

export interface CaptioningApp extends TestServer {
  readonly engine: ScriptedEngine;
  readonly anthropic: Anthropic;
  /** The prompts that the chat model has received. */
  readonly prompts: readonly string[];
  /** Sends one user message of these parts, and returns what the chat model received. */
  ask(content: OpenAI.Chat.Completions.ChatCompletionContentPart[]): Promise<ChatRequest>;
}

export interface ChatRequest {
  readonly prompt: string;
  readonly imageTokens: number | undefined;
}

/** @param write writes the vision model into its folder; absent: the captioning model. */
export async function startCaptioningServer(
  environment: NodeJS.ProcessEnv = {},
  write: ((folder: string) => void) | null = writeCaptioner,
  finished?: Finished,
): Promise<CaptioningApp> {
  const models = temporaryFolder(finished);
  if (write !== null) {
    const folder = join(models, "test-seer");
    mkdirSync(folder);
    write(folder);
  }
  const prompts: string[] = [];
  const engine = createScriptedEngine(
    (prompt) => {
      prompts.push(prompt);
      return ["I see."];
    },
    { contextTokens: 4096 },
  );
  const wanted = write === null ? {} : { HEARTH_VISION_MODEL: "test-seer" };
  const app = await startServer({
    environment: { HEARTH_MODELS: models, ...wanted, ...environment },
    engine,
    finished,
  });
  return {
    ...app,
    engine,
    prompts,
    anthropic: new Anthropic({ baseURL: app.url, apiKey: testKey, maxRetries: 0 }),
    async ask(content) {
      const answer = await app.client.chat.completions.create({
        model: builtInModel,
        messages: [{ role: "user", content }],
      });
      const details = answer.usage?.prompt_tokens_details as { image_tokens?: number } | undefined;
      return { prompt: prompts.at(-1) ?? "", imageTokens: details?.image_tokens };
    },
  };
}

/** Returns the file of an image of one colour. */
export function imageFile(colour: string, format: "png" | "jpeg" | "webp" | "gif" = "png"): Promise<Buffer> {
  return sharp({ create: { width: 200, height: 200, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
}

export async function dataUrl(colour: string, format: "png" | "jpeg" = "png"): Promise<string> {
  return `data:image/${format};base64,${(await imageFile(colour, format)).toString("base64")}`;
}

export function imagePart(url: string, detail?: "low" | "high" | "auto") {
  return { type: "image_url" as const, image_url: { url, detail } };
}

export function textPart(text: string) {
  return { type: "text" as const, text };
}
