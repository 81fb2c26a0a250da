/**
 * Opens and reads files that somebody else can replace: models, certificates, configuration, backups. A pipe, a device or a socket in
 * the place of a file is refused before anything is read from it: opening a pipe would wait for its writer, and a device has no end.
 * What is checked is the open file, so a file that is exchanged meanwhile is not read.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** A file that is not read; the message is a clause without the path. */
export class UnreadableFileError extends Error {
  /** @param code as errors of Node.js have it: `EISDIR`, `ENOTFILE`, `EFBIG`. */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Absent on Windows, where it has no meaning. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a file for reading. The caller closes it. @throws UnreadableFileError for what is no regular file, or the error of Node.js. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, flags);
  try {
    checkRegular(await file.stat());
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Reads a whole file. @throws UnreadableFileError for what is no regular file or is larger, or the error of Node.js. */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const content = new Content((await file.stat()).size, bytesMax);
    for (;;) {
      const { bytesRead } = await file.read(content.room());
      if (bytesRead === 0) return content.whole();
      content.add(bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Does what `readRegularFile` does, before anything else happens. */
export function readRegularFileSync(path: string, bytesMax: number): Buffer {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    checkRegular(stats);
    const content = new Content(stats.size, bytesMax);
    for (;;) {
      const bytesRead = readSync(file, content.room());
      if (bytesRead === 0) return content.whole();
      content.add(bytesRead);
    }
  } finally {
    closeSync(file);
  }
}

/** Yields the chunks of a file. @throws UnreadableFileError for what is no regular file, or the error of Node.js. */
export async function* chunksOfRegularFile(
  path: string,
  chunkBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = await openRegularFile(path);
  const options = { highWaterMark: chunkBytes, signal };
  // The stream closes the file.
  for await (const chunk of file.createReadStream(options)) yield chunk as Buffer;
}

function checkRegular(stats: Stats): void {
  if (stats.isFile()) return;
  throw new UnreadableFileError(stats.isDirectory() ? "EISDIR" : "ENOTFILE", "it is not a regular file");
}

/** What was read of a file so far. Its size is only a claim: files of /proc have none, and a file may grow. */
class Content {
  readonly #bytesMax: number;
  #buffer: Buffer;
  #length = 0;

  constructor(size: number, bytesMax: number) {
    if (size > bytesMax) throw tooLarge(bytesMax);
    this.#bytesMax = bytesMax;
    this.#buffer = Buffer.allocUnsafe(size + 1);
  }

  /** Returns where the next bytes belong. */
  room(): Buffer {
    if (this.#length === this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#bytesMax + 1, 2 * this.#length + 4096));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(this.#length);
  }

  /** @throws UnreadableFileError when the file is larger than it may be. */
  add(bytes: number): void {
    this.#length += bytes;
    if (this.#length > this.#bytesMax) throw tooLarge(this.#bytesMax);
  }

  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

function tooLarge(bytesMax: number): UnreadableFileError {
  return new UnreadableFileError("EFBIG", `it is larger than ${bytesMax} bytes`);
}
