/**
 * Vision models in the layout of transformers.js' exports: config.json, the files of the tokenizer and
 * preprocessor, and the graphs in `onnx`. Checks that the required files are present; the engine runs them.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { ModelManifest } from "../../core/model.js";
import { readRegularFile } from "../../system/regular-file.js";
import { grouped, quoted } from "../gguf/refusal.js";
import { idFromName, isModelId, type WrittenManifest } from "../manifest.js";
import type { Weights } from "../weights.js";

/** The file that identifies such a folder, together with the folder of its graphs. */
const configFile = "config.json";
const graphFolder = "onnx";
/** The files that are required to describe an image. */
const neededFiles = [
  configFile,
  "tokenizer.json",
  "tokenizer_config.json",
  "preprocessor_config.json",
] as const;
const configBytesMax = 1024 * 1024;
const graphFilesMax = 1000;

const config = z.object({ model_type: z.string().min(1).max(200) });

interface VisionFolder {
  readonly weights: Weights;
  /** `model_type`, or `unknown`. */
  readonly family: string;
}

/** Returns whether a folder with these entries has the layout of a vision model. */
export function isVisionFolder(names: readonly string[]): boolean {
  return names.includes(configFile) && names.includes(graphFolder);
}

/**
 * Checks the files of a folder: that all required files are present, that its family is supported, and that
 * the size matches the manifest.
 * @param manifest null if the folder has none
 */
export async function inspectVision(
  folder: string,
  families: readonly string[],
  manifest: WrittenManifest | null,
): Promise<VisionFolder> {
  const path = join(folder, configFile);
  const modifiedTime = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  const bytes = await sumBytes(folder, manifest);
  const family = await readFamily(path);
  const problem = (await missing(folder)) ?? unserved(family, families) ?? wrongSize(bytes, manifest);
  return { weights: { path, bytes, modifiedTime, header: null, problem }, family: family ?? "unknown" };
}

/** Returns a manifest for a folder without one, derived from its name. */
export function bareVision(folder: string, { weights, family }: VisionFolder): ModelManifest {
  const name = basename(folder);
  const id = idFromName(name);
  return {
    id,
    aliases: name !== id && isModelId(name) ? [name] : [],
    kind: "vision",
    name: name.slice(0, 200),
    family,
    version: "unknown",
    file: configFile,
    bytes: weights.bytes,
    sha256: null,
    contextTokens: 1,
    inputModalities: ["image"],
    outputModalities: ["text"],
    capabilities: { reasoning: false, tools: false, structuredOutputs: false },
    prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
    license: "unknown",
    created: Math.floor(weights.modifiedTime / 1000),
    madeBy: "unknown",
  };
}

async function missing(folder: string): Promise<string | null> {
  for (const name of neededFiles) {
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats === null) return `its file ${quoted(name)} is missing.`;
    if (!stats.isFile() || stats.size === 0)
      return `its file ${quoted(name)} is empty or not a regular file.`;
  }
  const graphs = (await graphNames(folder)).filter((name) => name.endsWith(".onnx"));
  return graphs.length === 0 ? `its folder ${quoted(graphFolder)} contains no graphs.` : null;
}

function unserved(family: string | null, families: readonly string[]): string | null {
  if (family === null) return `its ${configFile} does not name a model_type, or is larger than 1 MiB.`;
  return families.includes(family) ? null : `it is a ${quoted(family)}, which this server does not support.`;
}

function wrongSize(bytes: number, manifest: WrittenManifest | null): string | null {
  if (manifest?.bytes === undefined || manifest.bytes === bytes) return null;
  return `its files are ${grouped(bytes)} bytes, the manifest says ${grouped(manifest.bytes)}.`;
}

async function readFamily(path: string): Promise<string | null> {
  try {
    const content = await readRegularFile(path, configBytesMax);
    return config.parse(JSON.parse(content.toString("utf8"))).model_type;
  } catch {
    return null;
  }
}

/**
 * Returns the size of the files that the manifest lists; if it lists none, of the required files and the
 * graphs.
 */
async function sumBytes(folder: string, manifest: WrittenManifest | null): Promise<number> {
  const graphs = (await graphNames(folder)).map((name) => join(graphFolder, name));
  const names = manifest?.files?.map(({ path }) => path) ?? [...neededFiles, ...graphs];
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name)).catch(() => null))?.size ?? 0;
  return bytes;
}

async function graphNames(folder: string): Promise<readonly string[]> {
  return (await readdir(join(folder, graphFolder)).catch(() => [])).slice(0, graphFilesMax);
}
