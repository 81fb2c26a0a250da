/**
 * Downloads one file: under a lock, continuing what an earlier download left, with its hash and header checked before it gets its name.
 * A crash at any point leaves either the file of before, or a partial one that the next download continues.
 */
import { createHash } from "node:crypto";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HearthError } from "../../../core/errors.js";
import { chunksOfRegularFile } from "../../../system/regular-file.js";
import { readGguf } from "../../gguf.js";
import { notGguf, unusableSource, wrongHash } from "../errors.js";
import { ChangedSource, fetchPieces } from "./fetch-pieces.js";
import { takeLock, type LockDeps } from "./lock.js";
import { bytesSoFar, lockPath, openPartial, removePartial, type OpenFile } from "./partial-file.js";
import { probe, type FileSource, type Probe, type RequestDeps } from "./probe.js";
import { replaceFile } from "../../../system/replace-file.js";

export interface DownloadDeps extends RequestDeps, LockDeps {
  readonly openFile?: OpenFile;
}

export type DownloadPhase = "downloading" | "verifying";

interface Download {
  readonly source: FileSource;
  /** Absolute path. */
  readonly target: string;
  /** Returns what was recorded of the file on disk when it was downloaded from this source; null: nothing. */
  readonly recorded: () => Promise<{ readonly bytes: number; readonly sha256: string | null } | null>;
  /** Records the file. It runs before the file gets its name, so that none is there without a record. */
  readonly record: (file: DownloadedFile) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress: (phase: DownloadPhase, bytesDone: number) => void;
}

export interface DownloadedFile {
  readonly bytes: number;
  readonly sha256: string;
}

const startsMax = 3;
const chunkBytes = 1024 * 1024;

/** @throws HearthError; the reason of the signal. */
export async function downloadFile(deps: DownloadDeps, download: Download): Promise<DownloadedFile> {
  const { target, signal, onProgress } = download;
  await makeFolder(dirname(target));
  const lock = await takeLock(lockPath(target), deps, signal, async () =>
    onProgress("downloading", await bytesSoFar(target)),
  );
  try {
    const existing = await existingFile(download);
    if (existing !== null) {
      await removePartial(target);
      return existing;
    }
    for (let starts = 1; ; starts += 1) {
      const outcome = await fetchOnce(deps, download);
      if (outcome !== "again") return outcome;
      await removePartial(target);
      if (starts === startsMax)
        throw unusableSource(download.source.name, "it changes while it is downloaded.");
    }
  } finally {
    await lock.release();
  }
}

/** @returns `again` if the content has changed, or what an earlier download left was damaged. */
async function fetchOnce(deps: DownloadDeps, download: Download): Promise<DownloadedFile | "again"> {
  const { source, target, signal, onProgress } = download;
  const about = await probe(deps, source, signal);
  const file = await openPartial(target, readIdentity(about), about.bytes, deps.openFile);
  try {
    onProgress("downloading", file.done());
    const onBytes = (): void => onProgress("downloading", file.done());
    const checkStart = (start: Uint8Array): void => checkMagic(source.name, start);
    await fetchPieces(deps, { source, about, file, folder: dirname(target), checkStart, onBytes, signal });
    const sha256 = await hashFile(file.path, signal, (bytes) => onProgress("verifying", bytes));
    if (about.sha256 !== null && about.sha256 !== sha256) {
      if (file.isResumed) return "again";
      await removePartial(target);
      throw wrongHash(source.name, about.sha256, sha256);
    }
    await checkHeader(source.name, target, file.path);
    const downloaded = { bytes: about.bytes, sha256 };
    await download.record(downloaded);
    await replaceFile(file.path, target);
    await syncFolder(dirname(target));
    await removePartial(target);
    return downloaded;
  } catch (thrown) {
    if (thrown instanceof ChangedSource) return "again";
    if (thrown instanceof HearthError && (thrown.code === "not_gguf" || thrown.code === "wrong_size"))
      await removePartial(target);
    throw thrown;
  } finally {
    await file.close();
  }
}

/** Returns what distinguishes the content; null if the server does not say. */
function readIdentity({ sha256, validator, bytes }: Probe): string | null {
  if (sha256 !== null) return `sha256:${sha256}`;
  return validator === null ? null : `validator:${validator} ${bytes}`;
}

/**
 * Returns the file of the target if it is the one to download.
 * @throws HearthError for a file of the same name that no pull has made: it is not replaced.
 */
async function existingFile(download: Download): Promise<DownloadedFile | null> {
  const { source, target, recorded, record, signal, onProgress } = download;
  const stats = await stat(target).catch(() => null);
  if (stats === null) return null;
  const known = await recorded();
  const wanted = source.sha256;
  const sha256 = known?.bytes === stats.size && source.bytes === stats.size ? known.sha256 : null;
  if (sha256 !== null && (wanted ?? sha256) === sha256) return { bytes: stats.size, sha256 };
  if (stats.isFile() && wanted !== null && stats.size === source.bytes) {
    const computed = await hashFile(target, signal, (bytes) => onProgress("verifying", bytes));
    if (computed === wanted) {
      const found = { bytes: stats.size, sha256: computed };
      await record(found);
      return found;
    }
  }
  if (known === null) throw conflict(target);
  return null;
}

function conflict(target: string): HearthError {
  return new HearthError(
    "conflict",
    `${target} exists already and was not pulled from there; it is not replaced. Move it away, or remove it.`,
    { code: "exists" },
  );
}

function checkMagic(name: string, start: Uint8Array): void {
  if (!isGguf(name) || start.length < 4 || Buffer.from(start.subarray(0, 4)).toString("latin1") === "GGUF")
    return;
  const isPage = /^\s*</.test(Buffer.from(start.subarray(0, 32)).toString("latin1"));
  throw notGguf(name, isPage ? "the server sends a web page." : "it does not begin with 'GGUF'.");
}

/** @throws HearthError for a file that no program can read. Whether the engine can load it is known with the whole model. */
async function checkHeader(name: string, target: string, path: string): Promise<void> {
  if (!isGguf(target)) return;
  const read = await readGguf(path);
  if (!read.ok) throw notGguf(name, read.reason);
}

function isGguf(name: string): boolean {
  return /\.gguf$/i.test(name);
}

async function hashFile(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunksOfRegularFile(path, chunkBytes, signal)) {
    hash.update(chunk);
    onBytes((bytes += chunk.length));
  }
  return hash.digest("hex");
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
    throw unusableSource(folder, `the folder cannot be made (${code}).`);
  }
}

/** Makes a rename durable, where the system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
