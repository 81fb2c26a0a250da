/** Builds a Model from files: from a manifest, or from the contents of a folder or GGUF file without one. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Model, ModelKind, ModelManifest } from "../core/model.js";
import { readRegularFile } from "../system/regular-file.js";
import { bareDiffusers, indexFile, inspectDiffusers } from "./diffusers.js";
import type { GgufHeader } from "./gguf.js";
import { idFromName, isModelId, parseManifest, type WrittenManifest } from "./manifest.js";
import { readModelKind, kindProblem } from "./gguf/pooling.js";
import { quoted } from "./gguf/refusal.js";
import { bytesPerToken } from "./memory.js";
import { isFirstGguf, readModelStem } from "./parts.js";
import { bareVision, inspectVision, isVisionFolder } from "./vision/folder.js";
import { inspectWeights, type Weights } from "./weights.js";
import type { GgufMetadata } from "./gguf/metadata.js";

export const manifestFile = "manifest.json";
const manifestBytesMax = 64 * 1024;
/** The context of a model that does not specify one. */
const contextTokensUnknown = 2048;

/**
 * Returns the model of a folder with a manifest.json; what that does not have, the files say. `unusable` says what is wrong with it.
 * @param names of the files in the folder
 */
export async function describeManifest(
  folder: string,
  names: readonly string[],
  visionFamilies: readonly string[],
): Promise<Model> {
  const text = await readManifest(folder);
  if (text === null)
    return broken(folder, "", `its ${manifestFile} cannot be read, or is larger than 64 KiB.`);
  const parsed = parseManifest(text);
  if (!parsed.ok) return broken(folder, text, parsed.reason);
  const { manifest: written } = parsed;
  const kind = written.kind ?? kindOfFolder(names);
  if (kind === "image") {
    const weights = await inspectDiffusers(folder, written);
    return toModel({ ...bareDiffusers(folder, weights), ...written }, weights);
  }
  if (kind === "vision") {
    const found = await inspectVision(folder, visionFamilies, written);
    return toModel({ ...bareVision(folder, found), ...written }, found.weights);
  }
  const file = written.file ?? names.find(isFirstGguf);
  if (file === undefined)
    return broken(folder, text, `its ${manifestFile} names no file, and the folder has no .gguf file.`);
  const weights = await inspectWeights(folder, file, written.bytes ?? null);
  const { model, trained } = ofWeights(file, weights, written);
  return trained === null || written.contextTokens !== undefined
    ? model
    : { ...model, trainedTokens: trained };
}

/** Returns the kind of a model in a layout of several files; undefined for a GGUF file. */
function kindOfFolder(names: readonly string[]): "image" | "vision" | undefined {
  if (names.includes(indexFile)) return "image";
  return isVisionFolder(names) ? "vision" : undefined;
}

function ofWeights(
  file: string,
  weights: Weights,
  written: WrittenManifest,
): { readonly model: Model; readonly trained: number | null } {
  const trained = readTrainedTokens(weights.header);
  const found = toManifest(file, weights, trained ?? contextTokensUnknown);
  return { model: toModel({ ...found, ...written }, weights), trained };
}

/** Returns the model of a GGUF file without a manifest. Its context is what it was trained with. */
export async function describeBare(folder: string, file: string): Promise<Model> {
  const { model, trained } = ofWeights(file, await inspectWeights(folder, file, null), {});
  return trained === null ? model : { ...model, trainedTokens: trained };
}

function readTrainedTokens(header: GgufHeader | null): number | null {
  const value = header?.metadata.values.get(
    `${readText(header, "general.architecture", "unknown")}.context_length`,
  );
  return typeof value === "number" && value > 0 ? value : null;
}

/** Returns the model of a folder in the layout of Diffusers without a manifest. */
export async function describeDiffusers(folder: string): Promise<Model> {
  const weights = await inspectDiffusers(folder, null);
  return toModel(bareDiffusers(folder, weights), weights);
}

/** Returns the model of a folder in the layout of transformers.js without a manifest. */
export async function describeVision(folder: string, visionFamilies: readonly string[]): Promise<Model> {
  const found = await inspectVision(folder, visionFamilies, null);
  return toModel(bareVision(folder, found), found.weights);
}

function toModel(manifest: ModelManifest, weights: Weights): Model {
  const identity = manifest.sha256 ?? `${weights.bytes} bytes, changed ${weights.modifiedTime}`;
  const made = JSON.stringify([identity, manifest.file, manifest.contextTokens, manifest.version]);
  const fingerprint = `fp_${createHash("sha256").update(made).digest("hex").slice(0, 10)}`;
  const metadata = weights.header?.metadata ?? null;
  const problem = metadata === null ? null : kindProblem(manifest.kind, metadata);
  return {
    manifest,
    path: weights.path,
    unusable:
      weights.problem ??
      (problem === null ? null : `its file ${quoted(manifest.file)} is refused: ${problem}`),
    kvBytesPerToken: metadata === null ? 0 : bytesPerToken(manifest.kind, metadata),
    needsPlainWeights: metadata !== null && needsPlainWeights(metadata),
    fingerprint,
  };
}

function toManifest(file: string, weights: Weights, contextTokens: number): ModelManifest {
  const stem = readModelStem(file);
  const id = idFromName(stem);
  const architecture = readText(weights.header, "general.architecture", "unknown");
  const kind = weights.header === null ? "chat" : readModelKind(weights.header.metadata);
  const template = readText(weights.header, "tokenizer.chat_template", "", Number.POSITIVE_INFINITY);
  return {
    id,
    aliases: stem !== id && isModelId(stem) ? [stem] : [],
    kind,
    name: readText(weights.header, "general.name", stem),
    family: architecture,
    version: readText(weights.header, "general.version", "unknown"),
    file,
    bytes: weights.bytes,
    sha256: null,
    contextTokens,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: readCapabilities(kind, template),
    prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
    license: readText(weights.header, "general.license", "unknown"),
    created: Math.floor(weights.modifiedTime / 1000),
    madeBy: readText(
      weights.header,
      "general.author",
      readText(weights.header, "general.organization", "unknown"),
    ),
  };
}

/** Returns what a model with this chat template can do. */
export function readCapabilities(kind: ModelKind, template: string): ModelManifest["capabilities"] {
  return {
    reasoning: kind === "chat" && /<think>|enable_thinking/.test(template),
    tools: kind === "chat" && /\btools\b/.test(template),
    structuredOutputs: kind === "chat",
  };
}

/**
 * Returns an unusable model for an invalid manifest, with the id that the manifest claims or else the
 * folder's name.
 */
export function broken(folder: string, text: string, reason: string): Model {
  const weights = {
    path: join(folder, manifestFile),
    bytes: 0,
    modifiedTime: 0,
    header: null,
    problem: reason,
  };
  const manifest = toManifest(basename(folder), weights, 1);
  const claimed = /"id"\s*:\s*"([^"]{1,200})"/.exec(text)?.[1];
  const id = claimed !== undefined && isModelId(claimed) ? claimed : manifest.id;
  return toModel({ ...manifest, id, aliases: [] }, weights);
}

async function readManifest(folder: string): Promise<string | null> {
  const content = await readRegularFile(join(folder, manifestFile), manifestBytesMax).catch(() => null);
  return content?.toString("utf8") ?? null;
}

/**
 * Returns a text of the header without control characters, cut to `lengthMax`; `otherwise` if there is none.
 */
function readText(header: GgufHeader | null, key: string, otherwise: string, lengthMax = 200): string {
  const value = header?.metadata.values.get(key);
  if (typeof value !== "string") return otherwise;
  const clean = value.replace(/\p{Cc}+/gu, " ").trim();
  return clean === "" ? otherwise : clean.slice(0, lengthMax);
}

/** Keys of models that are more than attention and feed-forward layers, without the architecture before them. */
const beyondAttention = [
  /^attention\.kv_lora_rank$/,
  /^(shortconv|ssm|wkv|kda)\./,
  /^(token_shift_count|convnext)\b/,
];

/**
 * Returns whether a model computes with latent attention, convolutions or a state. llama.cpp multiplies some of their weights in ways that
 * the layout of weights for Intel's AMX does not support: it gives no numbers (LFM 2) or ends the process (DeepSeek 2), measured.
 */
function needsPlainWeights({ values }: GgufMetadata): boolean {
  const prefix = `${String(values.get("general.architecture"))}.`;
  return [...values.keys()].some(
    (key) => key.startsWith(prefix) && beyondAttention.some((part) => part.test(key.slice(prefix.length))),
  );
}
