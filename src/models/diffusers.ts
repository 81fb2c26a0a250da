/**
 * Image models in the layout of Diffusers' ONNX exports: model_index.json and a folder for each part. Checks
 * that the required files are present; the engine reads their contents.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { ModelManifest } from "../core/model.js";
import { readRegularFile } from "../system/regular-file.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { idFromName, isModelId, type WrittenManifest } from "./manifest.js";
import type { Weights } from "./weights.js";

/** The file that identifies such a folder. */
export const indexFile = "model_index.json";

/** The files that are required to generate an image. */
const neededFiles = [
  indexFile,
  "scheduler/scheduler_config.json",
  "tokenizer/vocab.json",
  "tokenizer/merges.txt",
  "text_encoder/model.onnx",
  "unet/model.onnx",
  "vae_decoder/model.onnx",
] as const;
const parts = ["scheduler", "tokenizer", "text_encoder", "unet", "vae_decoder"] as const;
const pipelines = /^(Onnx|ORT)?(StableDiffusion|LatentConsistencyModel)Pipeline$/;
const indexBytesMax = 64 * 1024;
const filesPerPartMax = 100;
/** The number of prompt tokens that the text encoders of these models accept. */
const promptTokens = 77;

const index = z.object({ _class_name: z.string().max(200) });

/**
 * Checks the files of a folder: that all required files are present, that the pipeline is supported, and that
 * the total size matches the manifest.
 * @param manifest null if the folder has none
 */
export async function inspectDiffusers(folder: string, manifest: WrittenManifest | null): Promise<Weights> {
  const path = join(folder, indexFile);
  const modifiedTime = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  const bytes = await sumBytes(folder);
  const found = { path, bytes, modifiedTime, header: null };
  return {
    ...found,
    problem: (await missing(folder)) ?? (await unreadable(path)) ?? wrongSize(bytes, manifest),
  };
}

/** Returns a manifest for a folder without one, derived from its name. */
export function bareDiffusers(folder: string, { bytes, modifiedTime }: Weights): ModelManifest {
  const name = basename(folder);
  const id = idFromName(name);
  return {
    id,
    aliases: name !== id && isModelId(name) ? [name] : [],
    kind: "image",
    name: name.slice(0, 200),
    family: "stable-diffusion",
    version: "unknown",
    file: indexFile,
    bytes,
    sha256: null,
    contextTokens: promptTokens,
    inputModalities: ["text"],
    outputModalities: ["image"],
    capabilities: { reasoning: false, tools: false, structuredOutputs: false },
    prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
    license: "unknown",
    created: Math.floor(modifiedTime / 1000),
    madeBy: "unknown",
  };
}

async function missing(folder: string): Promise<string | null> {
  for (const name of neededFiles) {
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats === null) return `its file ${quoted(name)} is missing.`;
    if (!stats.isFile()) return `its file ${quoted(name)} is not a regular file.`;
    if (stats.size === 0) return `its file ${quoted(name)} is empty.`;
  }
  return null;
}

async function unreadable(path: string): Promise<string | null> {
  const text = await readText(path);
  if (text === null) return `its ${indexFile} cannot be read, or is larger than 64 KiB.`;
  const parsed = index.safeParse(parseJson(text));
  if (!parsed.success) return `its ${indexFile} does not name a pipeline.`;
  const { _class_name: pipeline } = parsed.data;
  return pipelines.test(pipeline) ? null : `it is a ${quoted(pipeline)}, which this server does not support.`;
}

function wrongSize(bytes: number, manifest: WrittenManifest | null): string | null {
  if (manifest?.bytes === undefined || manifest.bytes === bytes) return null;
  return `its files are ${grouped(bytes)} bytes, the manifest says ${grouped(manifest.bytes)}.`;
}

/** Returns the size of the index and of all files in the folders of the parts. */
async function sumBytes(folder: string): Promise<number> {
  const names = [indexFile];
  for (const part of parts) {
    const inside = await readdir(join(folder, part)).catch(() => []);
    names.push(...inside.slice(0, filesPerPartMax).map((name) => join(part, name)));
  }
  let bytes = 0;
  for (const name of names) {
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats?.isFile() === true) bytes += stats.size;
  }
  return bytes;
}

async function readText(path: string): Promise<string | null> {
  const content = await readRegularFile(path, indexBytesMax).catch(() => null);
  return content?.toString("utf8") ?? null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
