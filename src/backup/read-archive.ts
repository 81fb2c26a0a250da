/**
 * Reads a backup, which may have been made by an attacker or damaged: it writes only files whose names a backup can have, into one empty
 * folder, each name once, none larger than its limit or than the free space of the disk, and accepts nothing but plain files.
 */
import { createHash } from "node:crypto";
import { mkdir, open, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { Header } from "tar/header";
import { openRegularFile } from "../system/regular-file.js";
import { readErrorCode } from "../system/file-errors.js";
import { quoted } from "../models/gguf/refusal.js";
import { syncFolder } from "../system/sync-folder.js";
import {
  findPartBytesMax,
  databasePart,
  filesPart,
  imagesPart,
  manifestBytesMax,
  manifestName,
  parseBackupManifest,
  partsMax,
  type BackupManifest,
  type BackupPart,
} from "./manifest.js";
import { blockBytes, paddingBytes } from "./write-archive.js";

/**
 * Extracts a backup and compares every part with the manifest.
 * @param folder an empty folder; after an error it holds a part of the files.
 * @param onBytes is called with the bytes of each compressed chunk.
 * @throws Error with one clause, without the path of the backup.
 */
export async function extractArchive(
  file: string,
  folder: string,
  onBytes: (bytes: number) => void,
): Promise<BackupManifest> {
  const source = (await openRegularFile(file)).createReadStream();
  source.on("data", (chunk) => {
    try {
      onBytes(chunk.length);
    } catch (thrown) {
      // Who is asked may stop the work.
      source.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  });
  const gunzip = createGunzip();
  source.once("error", (thrown) => gunzip.destroy(thrown));
  source.pipe(gunzip);
  try {
    return await extract(new ByteReader(gunzip), folder);
  } catch (thrown) {
    throw readable(thrown);
  } finally {
    gunzip.destroy();
    source.destroy();
  }
}

async function extract(reader: ByteReader, folder: string): Promise<BackupManifest> {
  const parts = new Map<string, BackupPart>();
  for (;;) {
    const { name, bytes } = readHeader(await reader.take(blockBytes), parts.size === 0);
    if (name === manifestName) {
      const manifest = await readManifest(reader, bytes);
      comparePart(manifest, parts);
      for (const part of [imagesPart, filesPart]) await syncFolder(join(folder, part)).catch(() => undefined);
      await syncFolder(folder);
      return manifest;
    }
    refuseEntry(name, bytes, parts);
    if (parts.size === 0 && name !== databasePart) throw new Error("it is not a backup of Hearth");
    await refuseLargerThanDisk(name, bytes, folder);
    parts.set(name, { name, bytes, sha256: await writePart(reader, bytes, folder, name) });
    await skipPadding(reader, bytes);
  }
}

function readHeader(block: Buffer, isFirst: boolean): { readonly name: string; readonly bytes: number } {
  const foreign = isFirst ? "it is not a backup of Hearth" : null;
  let header: Header;
  try {
    header = new Header(block);
  } catch {
    throw new Error(foreign ?? "it is damaged: an entry has no valid header");
  }
  if (header.nullBlock) throw new Error(foreign ?? "it is truncated: it ends without a manifest");
  if (!header.cksumValid) throw new Error(foreign ?? "it is damaged: an entry has no valid header");
  const { path = "", size = -1, type } = header;
  if (!["File", "OldFile"].includes(type))
    throw new Error(`its entry ${quoted(path)} is refused: it is not a plain file`);
  if (!Number.isSafeInteger(size) || size < 0)
    throw new Error(`its entry ${quoted(path)} is refused: it has no valid size`);
  return { name: path, bytes: size };
}

function refuseEntry(name: string, bytes: number, parts: ReadonlyMap<string, BackupPart>): void {
  const bytesMax = findPartBytesMax(name);
  if (bytesMax === null) throw new Error(`its entry ${quoted(name)} is refused: a backup has no such file`);
  if (parts.has(name)) throw new Error(`its entry ${quoted(name)} is refused: it occurs twice`);
  if (parts.size >= partsMax) throw new Error(`it has more than ${partsMax} entries`);
  if (bytes > bytesMax)
    throw new Error(`its entry ${quoted(name)} is refused: it is larger than ${bytesMax} bytes`);
}

async function refuseLargerThanDisk(name: string, bytes: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes > bavail * bsize)
    throw new Error(`its entry ${quoted(name)} has ${bytes} bytes, and the disk has ${bavail * bsize} left`);
}

/** Returns the SHA-256 of what was written and synced. */
async function writePart(reader: ByteReader, bytes: number, folder: string, name: string): Promise<string> {
  const part = [imagesPart, filesPart].find((each) => name.startsWith(each));
  if (part !== undefined) await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
  const file = await open(join(folder, name), "wx", 0o600);
  try {
    const hash = createHash("sha256");
    for await (const chunk of reader.chunks(bytes)) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

async function readManifest(reader: ByteReader, bytes: number): Promise<BackupManifest> {
  if (bytes > manifestBytesMax) throw new Error(`its manifest.json is larger than ${manifestBytesMax} bytes`);
  const manifest = parseBackupManifest((await reader.take(bytes)).toString("utf8"));
  await skipPadding(reader, bytes);
  const end = await reader.take(2 * blockBytes);
  if (end.some((byte) => byte !== 0) || !(await reader.isAtEnd()))
    throw new Error("it is damaged: something follows its manifest.json");
  return manifest;
}

async function skipPadding(reader: ByteReader, bytes: number): Promise<void> {
  const padding = await reader.take(paddingBytes(bytes));
  if (padding.some((byte) => byte !== 0)) throw new Error("it is damaged: an entry is longer than its size");
}

function comparePart(manifest: BackupManifest, parts: ReadonlyMap<string, BackupPart>): void {
  for (const { name, bytes, sha256 } of manifest.parts) {
    const found = parts.get(name);
    if (found === undefined) throw new Error(`it is damaged: it lacks ${quoted(name)}`);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new Error(`it is damaged: ${quoted(name)} is not what was backed up`);
  }
  if (manifest.parts.length !== parts.size)
    throw new Error("it is damaged: its manifest.json does not name every entry once");
}

/** Turns errors of decompression into clauses for the operator. */
function readable(thrown: unknown): unknown {
  const code = readErrorCode(thrown);
  if (code === "Z_BUF_ERROR") return new Error("it is truncated", { cause: thrown });
  if (code === "Z_DATA_ERROR")
    return new Error("it is damaged, or not a backup of Hearth", { cause: thrown });
  return thrown;
}

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes. @throws Error if there are fewer. */
  async take(bytes: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for await (const chunk of this.chunks(bytes)) taken.push(chunk);
    return Buffer.concat(taken);
  }

  /** Iterates over the next bytes as they arrive. @throws Error if there are fewer. */
  async *chunks(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes;
    while (left > 0) {
      if (await this.isAtEnd()) throw new Error("it is truncated");
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  /** Whether no byte follows. */
  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}
