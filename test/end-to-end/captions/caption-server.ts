/** A server whose chat model is scripted, so that a test reads what it was told, and whose model that sees is a real one. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import sharp from "sharp";
import { createScriptedEngine, type ScriptedEngine } from "../../../src/engine/scripted.js";
import { builtInModel, startApp, temporaryFolder, testKey, type TestApp } from "../../harness.js";
import { writeCaptioner } from "../../vision-models/captioner.js";

export interface SeeingApp extends TestApp {
  readonly engine: ScriptedEngine;
  readonly anthropic: Anthropic;
  /** The prompts that the chat model was given so far. */
  readonly prompts: readonly string[];
  /** What the chat model was told in answer to one user message of these parts. */
  ask(content: OpenAI.Chat.Completions.ChatCompletionContentPart[]): Promise<Told>;
}

export interface Told {
  readonly prompt: string;
  readonly imageTokens: number | undefined;
}

/** @param write puts the model that sees into its folder; absent: the captioner. */
export async function startSeeing(
  environment: NodeJS.ProcessEnv = {},
  write: ((folder: string) => void) | null = writeCaptioner,
  finished?: Parameters<typeof startApp>[2],
): Promise<SeeingApp> {
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
  const app = await startApp({ HEARTH_MODELS: models, ...wanted, ...environment }, { engine }, finished);
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

/** The bytes of a picture of one colour. */
export function painted(colour: string, format: "png" | "jpeg" | "webp" | "gif" = "png"): Promise<Buffer> {
  return sharp({ create: { width: 200, height: 200, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
}

export async function dataUrl(colour: string, format: "png" | "jpeg" = "png"): Promise<string> {
  return `data:image/${format};base64,${(await painted(colour, format)).toString("base64")}`;
}

export function imagePart(url: string, detail?: "low" | "high" | "auto") {
  return { type: "image_url" as const, image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

export function textPart(text: string) {
  return { type: "text" as const, text };
}
