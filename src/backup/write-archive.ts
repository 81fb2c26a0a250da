/** Writes a backup: a gzip-compressed tar file, which other programs unpack, too. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Header } from "tar/header";
import { openRegularFile } from "../system/regular-file.js";
import { manifestName, type BackupManifest, type BackupPart } from "./manifest.js";

/** A file to be written under a name. */
export interface SourceFile {
  readonly name: string;
  readonly path: string;
}

export const blockBytes = 512;
/** Higher levels take several times as long and save a few percent. */
const compressionLevel = 3;
const chunkBytes = 1_048_576;

/**
 * Writes the files, then the manifest that is made of them. A file that has disappeared is left out.
 * @param onBytes is called with the bytes of each chunk that was read.
 * @returns the manifest.
 */
export async function writeArchive(
  target: string,
  files: readonly SourceFile[],
  manifest: (parts: readonly BackupPart[]) => BackupManifest,
  onBytes: (bytes: number) => void,
): Promise<BackupManifest> {
  let written: BackupManifest | null = null;
  async function* blocks(): AsyncGenerator<Buffer> {
    const parts: BackupPart[] = [];
    for (const file of files) {
      const part = yield* writeEntry(file, onBytes);
      if (part !== null) parts.push(part);
    }
    written = manifest(parts);
    const text = Buffer.from(`${JSON.stringify(written, null, 2)}\n`);
    yield header(manifestName, text.length);
    yield text;
    yield padding(text.length);
    // A tar file ends with two empty blocks.
    yield Buffer.alloc(2 * blockBytes);
  }
  const gzip = createGzip({ level: compressionLevel });
  const out = createWriteStream(target, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(Readable.from(blocks(), { objectMode: true }), gzip, out);
  if (written === null) throw new Error("the manifest was not written");
  return written;
}

async function* writeEntry(
  { name, path }: SourceFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, BackupPart | null> {
  const file = await opened(path);
  if (file === null) return null;
  try {
    const { size: bytes } = await file.stat();
    yield header(name, bytes);
    const hash = createHash("sha256");
    let left = bytes;
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(left, chunkBytes));
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
      left -= bytesRead;
      hash.update(chunk.subarray(0, bytesRead));
      onBytes(bytesRead);
      yield chunk.subarray(0, bytesRead);
    }
    yield padding(bytes);
    return { name, bytes, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle | null> {
  try {
    return await openRegularFile(path);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return null;
    throw thrown;
  }
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  new Header({ path, size, type: "File", mode: 0o600, mtime: new Date(0) }).encode(block);
  return block;
}

function padding(bytes: number): Buffer {
  return Buffer.alloc(paddingBytes(bytes));
}

/** Bytes between the end of a file of this size and the next block. */
export function paddingBytes(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}
