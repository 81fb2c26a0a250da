import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isGgufKind, type Model, type ModelFile } from "../core/model.js";
import { chunksOfRegularFile } from "../system/regular-file.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { listPartFiles } from "./parts.js";

const chunkBytes = 1024 * 1024;

/**
 * Checks a model's weights before they are loaded: that their size is unchanged since the model was found (a
 * memory-mapped file that shrinks crashes the process) and, if the manifest has a SHA-256, that the bytes
 * match it. Parts are hashed in order as one stream; files listed in the manifest are hashed separately.
 * Takes as long as reading the files.
 * @returns null if the weights are valid, otherwise a public clause that says what is wrong
 */
export async function verifyWeights(model: Model): Promise<string | null> {
  const { manifest, path } = model;
  if (manifest.files !== undefined) return verifyFiles(dirname(path), manifest.files);
  if (!isGgufKind(manifest.kind)) return null;
  const files = listPartFiles(basename(path)).map((name) => join(dirname(path), name));
  try {
    let bytes = 0;
    for (const file of files) bytes += (await stat(file)).size;
    if (bytes !== manifest.bytes)
      return `${quoted(manifest.file)} is ${grouped(bytes)} bytes, expected ${grouped(manifest.bytes)}: it was changed.`;
    if (manifest.sha256 === null) return null;
    const digest = await computeSha256(files);
    if (digest === manifest.sha256) return null;
    return `${quoted(manifest.file)} has the SHA-256 ${digest}, the manifest says ${manifest.sha256}: it is damaged.`;
  } catch {
    return `${quoted(manifest.file)} cannot be read.`;
  }
}

async function verifyFiles(folder: string, files: readonly ModelFile[]): Promise<string | null> {
  for (const { path, bytes, sha256 } of files) {
    try {
      const { size } = await stat(join(folder, path));
      if (size !== bytes)
        return `${quoted(path)} is ${grouped(size)} bytes, expected ${grouped(bytes)}: it was changed.`;
      const digest = await computeSha256([join(folder, path)]);
      if (digest !== sha256)
        return `${quoted(path)} has the SHA-256 ${digest}, the manifest says ${sha256}: it is damaged.`;
    } catch {
      return `${quoted(path)} cannot be read.`;
    }
  }
  return null;
}

/** Returns the hex SHA-256 of the concatenated files. */
async function computeSha256(files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files)
    for await (const chunk of chunksOfRegularFile(file, chunkBytes)) hash.update(chunk);
  return hash.digest("hex");
}
