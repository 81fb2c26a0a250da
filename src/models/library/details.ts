/** Reads what `hearth show` and `hearth fit` print of a model beyond what the registry keeps. */
import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isGgufKind, type Model } from "../../core/model.js";
import { readGguf, type GgufHeader } from "../gguf.js";
import { fileTypeName } from "../gguf/file-types.js";
import type { TensorTotals } from "../gguf/tensors.js";
import { listPartFiles } from "../parts.js";
import { findOwnPath } from "./remove.js";
import { findFileOrigin, readSourceRecord, type Origin } from "../source-record.js";

/** What lists show of a model beyond what the registry keeps. */
export interface ModelCard {
  /** Numbers in all weights. */
  readonly parameters: number | null;
  /** Type of most weights, such as `Q4_K_M`. */
  readonly quantization: string | null;
  /** Hex digest of the weights: of the manifest, or as downloaded; null for several files, or when unknown. */
  readonly sha256: string | null;
}

export interface ModelDetails extends ModelCard {
  readonly architecture: string | null;
  readonly layers: number | null;
  readonly embeddingLength: number | null;
  /** For a mixture of experts: how many there are in a layer, and how many a token uses. */
  readonly experts: { readonly count: number; readonly used: number } | null;
  /** The sum over all parts; null for a model that is no GGUF, or unusable. */
  readonly tensors: TensorTotals | null;
  /** The template in the file. */
  readonly chatTemplate: string | null;
  /** Where the files were downloaded from. */
  readonly origin: Origin | null;
}

/** Returns when the files of a model were changed last, in ms since the epoch; 0 for one that has none. */
export async function readModifiedTime(model: Model): Promise<number> {
  return (await stat(findOwnPath(model)).catch(() => null))?.mtimeMs ?? 0;
}

/**
 * Reads the headers of a model's files, and the record of their download. Never rejects because of what they contain.
 * @param named patterns of the names of tensors whose bytes are counted apart
 */
export async function readDetails(model: Model, named: readonly RegExp[] = []): Promise<ModelDetails> {
  const isGguf = isGgufKind(model.manifest.kind) && model.path !== "";
  const headers = isGguf ? await readHeaders(model.path, named) : [];
  const [first] = headers;
  const number = (name: string): number | null => {
    const value = first?.metadata.values.get(`${String(text(first, "general.architecture"))}.${name}`);
    return typeof value === "number" && value > 0 ? value : null;
  };
  // What was made from a tokenizer.json has no weights.
  const hasWeights = first !== undefined && model.tokenizerFile === undefined;
  const [count, used] = [number("expert_count"), number("expert_used_count")];
  const download = model.path === "" ? null : await findDownload(model.path);
  return {
    architecture: hasWeights ? text(first, "general.architecture") : null,
    parameters: hasWeights ? totals(headers).parameters : null,
    layers: hasWeights ? number("block_count") : null,
    embeddingLength: hasWeights ? number("embedding_length") : null,
    quantization: fileTypeName(first?.metadata.values.get("general.file_type")),
    experts: count === null || used === null ? null : { count, used },
    tensors: hasWeights ? totals(headers) : null,
    chatTemplate: text(first, "tokenizer.chat_template"),
    origin: download?.origin ?? null,
    sha256: model.manifest.sha256 ?? download?.sha256 ?? null,
  };
}

/** Returns the headers of all parts; none if one cannot be read. */
async function readHeaders(path: string, named: readonly RegExp[]): Promise<readonly GgufHeader[]> {
  const headers: GgufHeader[] = [];
  for (const name of listPartFiles(basename(path))) {
    const result = await readGguf(join(dirname(path), name), named);
    if (!result.ok) return [];
    headers.push(result.header);
  }
  return headers;
}

function totals(headers: readonly GgufHeader[]): TensorTotals {
  const sum = (of: (tensors: TensorTotals) => number): number =>
    headers.reduce((total, { tensors }) => total + of(tensors), 0);
  return {
    parameters: sum(({ parameters }) => parameters),
    bytes: sum(({ bytes }) => bytes),
    expertBytes: sum(({ expertBytes }) => expertBytes),
    namedBytes: sum(({ namedBytes }) => namedBytes),
    embeddingBytes: sum(({ embeddingBytes }) => embeddingBytes),
    hasOutput: headers.some(({ tensors }) => tensors.hasOutput),
  };
}

function text(header: GgufHeader | undefined, key: string): string | null {
  const value = header?.metadata.values.get(key);
  return typeof value === "string" ? value : null;
}

interface Download {
  readonly origin: Origin;
  readonly sha256: string | null;
}

/** Returns what the record in the folder of a file, or in the folder above it, says about the file. */
async function findDownload(path: string): Promise<Download | null> {
  for (const folder of [dirname(path), dirname(dirname(path))]) {
    const record = await readSourceRecord(folder);
    const name = relative(folder, path).replaceAll(sep, "/");
    const origin = record === null ? null : findFileOrigin(record, name);
    if (record === null || origin === null) continue;
    const { sha256 = null } = record.files.find((each) => each.path === name) ?? {};
    return { origin, sha256: listPartFiles(basename(path)).length > 1 ? null : sha256 };
  }
  return null;
}
