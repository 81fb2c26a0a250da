/**
 * Reads and checks the header of a GGUF file (versions 2 and 3) without reading its weights, and decides
 * whether it is safe to load the file with native code. A length in the file is only a claim: it is compared
 * with the remaining bytes of the file before anything is read or allocated. registry.ts decides which files
 * are models; verify.ts checks that their bytes are the right ones.
 */
import type { FileHandle } from "node:fs/promises";
import { openRegularFile, UnreadableFileError } from "../system/regular-file.js";
import { checkMetadata } from "./gguf/check.js";
import { readMetadata, type GgufMetadata } from "./gguf/metadata.js";
import { GgufRefusal, grouped } from "./gguf/refusal.js";
import { Source } from "./gguf/source.js";
import { readTensors, type TensorTotals } from "./gguf/tensors.js";

const magic = 0x46554747; // "GGUF", little-endian
const metadataPairsMax = 4096;
const tensorsMax = 65_536;
const defaultAlignment = 32;
/** Real files align their tensors to at most a page; llama.cpp has no bound. */
const alignmentMax = 65_536;

export interface GgufHeader {
  /** 2 or 3. */
  readonly version: number;
  /** Size of the file. */
  readonly bytes: number;
  readonly tensorCount: number;
  readonly tensors: TensorTotals;
  readonly metadata: GgufMetadata;
}

type GgufResult =
  { readonly ok: true; readonly header: GgufHeader } | { readonly ok: false; readonly reason: string };

/**
 * Reads the header of a file and checks its structure: every length, type, name and tensor position.
 * @param named patterns of the names of tensors whose bytes are counted apart
 * @returns the header, or a public clause (without the path) that says what is wrong; never throws because of
 * a file's contents
 */
export async function readGguf(path: string, named: readonly RegExp[] = []): Promise<GgufResult> {
  let file: FileHandle | null = null;
  try {
    file = await openRegularFile(path);
    return { ok: true, header: await readHeader(new Source(file, (await file.stat()).size), named) };
  } catch (thrown) {
    return { ok: false, reason: explainError(thrown) };
  } finally {
    await file?.close();
  }
}

/** Reads the header and checks that llama.cpp can load the file as a model, or as the first part of one. */
export async function preflightGguf(path: string): Promise<GgufResult> {
  const result = await readGguf(path);
  if (!result.ok) return result;
  const { metadata, tensorCount } = result.header;
  const reason = checkMetadata(metadata);
  if (reason !== null) return { ok: false, reason };
  const parts = metadata.values.get("split.count") ?? 1;
  if (tensorCount === 0 && parts === 1) return { ok: false, reason: "it holds no tensors." };
  return result;
}

async function readHeader(source: Source, named: readonly RegExp[]): Promise<GgufHeader> {
  if (source.bytes < 24) throw new GgufRefusal(`it has ${source.bytes} bytes, too few for a GGUF file.`);
  await source.fill(24);
  if (source.u32() !== magic) throw new GgufRefusal("it does not begin with 'GGUF'.");
  const version = source.u32();
  if (version !== 2 && version !== 3)
    throw new GgufRefusal(`it is of GGUF version ${grouped(version)}, where 2 or 3 can be read.`);
  const tensorCount = source.u64();
  if (tensorCount > tensorsMax)
    throw new GgufRefusal(`it claims ${grouped(tensorCount)} tensors, more than ${tensorsMax}.`);
  const pairCount = source.u64();
  if (pairCount > metadataPairsMax)
    throw new GgufRefusal(`it claims ${grouped(pairCount)} metadata entries, more than ${metadataPairsMax}.`);
  const metadata = await readMetadata(source, pairCount);
  const alignment = readAlignment(metadata);
  const tensors = await readTensors(source, { count: tensorCount, alignment, named });
  return { version, bytes: source.bytes, tensorCount, tensors, metadata };
}

function readAlignment(metadata: GgufMetadata): number {
  const alignment = metadata.values.get("general.alignment") ?? defaultAlignment;
  if (typeof alignment !== "number") throw new GgufRefusal("its general.alignment is not a number.");
  if (alignment < 1 || alignment > alignmentMax || !Number.isInteger(Math.log2(alignment)))
    throw new GgufRefusal(`its general.alignment is ${grouped(alignment)}, expected a power of two.`);
  return alignment;
}

function explainError(thrown: unknown): string {
  if (thrown instanceof GgufRefusal) return thrown.message;
  if (thrown instanceof UnreadableFileError) return `${thrown.message}.`;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
  return code === "ENOENT" ? "it is missing." : `it cannot be read (${code}).`;
}
