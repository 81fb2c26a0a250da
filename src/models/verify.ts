import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Model, ModelFile } from "../core/model.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { partsOf } from "./parts.js";

const chunkBytes = 1024 * 1024;

/**
 * Checks a model's weights before they are loaded: that their size is still what it was when the model was found (a mapped
 * file that became shorter ends the process), and, where the manifest has a SHA-256, that their bytes are the right ones.
 * Parts are hashed in order, as one stream; files that the manifest lists each by itself. Takes as long as reading the files does.
 * @returns null when all is well, else a public clause saying what is wrong.
 */
export async function verifyWeights(model: Model): Promise<string | null> {
  const { manifest, path } = model;
  if (manifest.files !== undefined) return verifyFiles(dirname(path), manifest.files);
  if (manifest.kind !== "chat") return null;
  const files = partsOf(basename(path)).map((name) => join(dirname(path), name));
  try {
    let bytes = 0;
    for (const file of files) bytes += (await stat(file)).size;
    if (bytes !== manifest.bytes)
      return `${quoted(manifest.file)} is ${grouped(bytes)} bytes, ${grouped(manifest.bytes)} are due: it was changed.`;
    if (manifest.sha256 === null) return null;
    const digest = await sha256Of(files);
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
        return `${quoted(path)} is ${grouped(size)} bytes, ${grouped(bytes)} are due: it was changed.`;
      const digest = await sha256Of([join(folder, path)]);
      if (digest !== sha256)
        return `${quoted(path)} has the SHA-256 ${digest}, the manifest says ${sha256}: it is damaged.`;
    } catch {
      return `${quoted(path)} cannot be read.`;
    }
  }
  return null;
}

/** Hex digest of files read one after the other. */
async function sha256Of(files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files)
    for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }))
      hash.update(chunk as Buffer);
  return hash.digest("hex");
}
