/**
 * Models that describe pictures, in the folders in which transformers.js' exports are published: config.json, the files of
 * tokenizer and preprocessor, and the graphs in `onnx`. It owns what such a folder has to hold; how a family is run is the
 * engine's.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { ModelManifest } from "../core/model.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { idFromName, isModelId } from "./manifest.js";
import type { Weights } from "./weights.js";

/** The file that such a folder is known by, together with the folder of its graphs. */
const configFile = "config.json";
const graphFolder = "onnx";
/** Without these nothing can be described. */
const neededFiles = [
  configFile,
  "tokenizer.json",
  "tokenizer_config.json",
  "preprocessor_config.json",
] as const;
const configBytesMax = 1024 * 1024;
const graphFilesMax = 1000;

const config = z.object({ model_type: z.string().min(1).max(200) });

export interface VisionFolder {
  readonly weights: Weights;
  /** `model_type`, or `unknown`. */
  readonly family: string;
}

/** Whether a folder of these names looks like one. */
export function isVisionFolder(names: readonly string[]): boolean {
  return names.includes(configFile) && names.includes(graphFolder);
}

/**
 * Looks at the files of a folder: that all are there, that it is of a family that is served, and that they have the size that
 * the manifest says.
 * @param manifest null where the folder has none.
 */
export async function inspectVision(
  folder: string,
  families: readonly string[],
  manifest: ModelManifest | null,
): Promise<VisionFolder> {
  const path = join(folder, configFile);
  const modifiedTime = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  const bytes = await bytesOf(folder, manifest);
  const family = await familyOf(path);
  const problem = (await missing(folder)) ?? unserved(family, families) ?? wrongSize(bytes, manifest);
  return { weights: { path, bytes, modifiedTime, header: null, problem }, family: family ?? "unknown" };
}

/** The manifest of a folder that has none, known by its name. */
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
    if (!stats.isFile() || stats.size === 0) return `its file ${quoted(name)} is empty, or no file.`;
  }
  const graphs = (await graphNames(folder)).filter((name) => name.endsWith(".onnx"));
  return graphs.length === 0 ? `its folder ${quoted(graphFolder)} holds no graphs.` : null;
}

function unserved(family: string | null, families: readonly string[]): string | null {
  if (family === null) return `its ${configFile} does not say what it is, or is larger than 1 MiB.`;
  return families.includes(family) ? null : `it is a ${quoted(family)}, which this server cannot see with.`;
}

function wrongSize(bytes: number, manifest: ModelManifest | null): string | null {
  if (manifest === null || manifest.bytes === bytes) return null;
  return `its files are ${grouped(bytes)} bytes, the manifest says ${grouped(manifest.bytes)}.`;
}

async function familyOf(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).size > configBytesMax) return null;
    return config.parse(JSON.parse(await readFile(path, "utf8"))).model_type;
  } catch {
    return null;
  }
}

/** Of the files that the manifest lists; where it lists none, of those that are needed and the graphs with their weights. */
async function bytesOf(folder: string, manifest: ModelManifest | null): Promise<number> {
  const graphs = (await graphNames(folder)).map((name) => join(graphFolder, name));
  const names = manifest?.files?.map(({ path }) => path) ?? [...neededFiles, ...graphs];
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name)).catch(() => null))?.size ?? 0;
  return bytes;
}

async function graphNames(folder: string): Promise<readonly string[]> {
  return (await readdir(join(folder, graphFolder)).catch(() => [])).slice(0, graphFilesMax);
}
