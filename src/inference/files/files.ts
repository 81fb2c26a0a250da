/**
 * Files of teams: uploads, the outputs of batches, and their quotas. The content is on the disk before the row is committed, and the row
 * is deleted before the content: a process that dies between the two leaves a content without a row, which the next start removes.
 */
import type { Readable } from "node:stream";
import type { Clock } from "../../core/clock.js";
import { HearthError, toHearthError } from "../../core/errors.js";
import type { Random } from "../../core/random.js";
import { readErrorCode } from "../../system/file-errors.js";
import type { Write, Writes } from "../../store/writes.js";
import type { StoredOwner } from "../stored-owner.js";
import { fileIdPattern, type ContentWriter, type FileContents } from "./contents.js";
import type { FileStore } from "./store.js";
import type { FilePage, FileQuery, FileUsage, StoredFile } from "./stored-file.js";

/** What is known of a file when its content is complete. */
export type FileFields = Pick<StoredFile, "purpose" | "filename" | "mimeType" | "expireTime">;

/** A file while its content is received or written. */
export interface FileDraft {
  readonly id: string;
  /** @throws HearthError `body_too_large` or `invalid_value` when the file or the team has too many bytes. */
  write(chunk: Uint8Array): Promise<void>;
  /** Completes the content. The caller commits the row. @throws HearthError as `write` does. */
  complete(fields: FileFields): Promise<{ readonly file: StoredFile; readonly insertion: Write }>;
  /** The same, and commits the row; the file is on the disk once this resolves. */
  finish(fields: FileFields): Promise<StoredFile>;
  /** Ends the draft, and removes what was written unless it is complete. */
  discard(): Promise<void>;
  /** Ends the draft, and removes its content even if it is complete: its row could not be committed. */
  remove(): Promise<void>;
}

interface FileLimits {
  readonly fileBytesMax: number;
  readonly teamFilesMax: number;
  readonly teamFileBytesMax: number;
}

interface FilesDeps {
  readonly files: FileStore;
  readonly contents: FileContents;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: FileLimits;
}

/** A check adds up the sizes of all files of the team. A chunk has 64 KiB at most. */
const chunksPerCheck = 64;

export class Files {
  readonly #deps: FilesDeps;
  /** What drafts have written that has no row yet, by team. */
  readonly #drafts = new Map<string, FileUsage>();

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to write a file of a team.
   * @param isLimited whether the limits of uploads apply; the server's own files count, but are never refused.
   * @throws HearthError `invalid_value` when the team has as many files as it may, `overloaded` when nothing can be written.
   */
  async begin(owner: StoredOwner, isLimited: boolean): Promise<FileDraft> {
    const { contents, random } = this.#deps;
    const { teamId } = owner;
    const id = `file-${Buffer.from(random.bytes(16)).toString("hex")}`;
    this.#count(teamId, 1, 0);
    try {
      if (isLimited) await this.refuseBeyondQuota(teamId);
      return this.#draft(id, owner, isLimited, await contents.create(id));
    } catch (thrown) {
      this.#count(teamId, -1, 0);
      throw toStorageError(thrown);
    }
  }

  #draft(id: string, { teamId, userId }: StoredOwner, isLimited: boolean, writer: ContentWriter): FileDraft {
    const { limits, files, writes, contents, clock } = this.#deps;
    let bytes = 0;
    let chunks = 0;
    let isOpen = true;
    const close = (): void => {
      isOpen = false;
      this.#count(teamId, -1, -bytes);
    };
    const complete = async (fields: FileFields) => {
      if (isLimited) await this.refuseBeyondQuota(teamId);
      await storing(() => writer.finish());
      const file: StoredFile = { id, teamId, userId, ...fields, bytes, createTime: clock.now() };
      return { file, insertion: files.insertion(file) };
    };
    const discard = async (): Promise<void> => {
      if (!isOpen) return;
      close();
      await writer.discard();
    };
    const remove = async (): Promise<void> => {
      await discard();
      await contents.remove(id);
    };
    return {
      id,
      write: async (chunk) => {
        bytes += chunk.length;
        this.#count(teamId, 0, chunk.length);
        if (isLimited && bytes > limits.fileBytesMax) throw tooLarge(limits);
        chunks += 1;
        if (isLimited && chunks % chunksPerCheck === 0) await this.refuseBeyondQuota(teamId);
        await storing(() => writer.write(chunk));
      },
      complete,
      async finish(fields) {
        const { file, insertion } = await complete(fields);
        try {
          await writes.commit([insertion]);
        } catch (thrown) {
          await remove();
          throw thrown;
        }
        return file;
      },
      discard,
      remove,
    };
  }

  /** @throws HearthError `not_found`, also for a file of another team. */
  async find(id: string, teamId: string): Promise<StoredFile> {
    const file = fileIdPattern.test(id)
      ? await this.#deps.files.find(id, teamId, this.#deps.clock.now())
      : null;
    if (file === null) throw notFound(id);
    return file;
  }

  list(query: FileQuery): Promise<FilePage> {
    return this.#deps.files.list(query, this.#deps.clock.now());
  }

  /** Opens the content of a file. @throws HearthError `not_found` when it is gone. */
  async read(file: StoredFile): Promise<Readable> {
    try {
      return await this.#deps.contents.read(file.id);
    } catch (thrown) {
      if (readErrorCode(thrown) === "ENOENT") throw notFound(file.id);
      throw thrown;
    }
  }

  /** Deletes a file, and its content. */
  async delete(id: string): Promise<void> {
    await this.#deps.files.delete(id);
    await this.#deps.contents.remove(id);
  }

  /** Removes contents without a row that were last written before this time: newer ones may be in use by another server. */
  async removeLeftovers(before: number): Promise<void> {
    const { contents, files } = this.#deps;
    for (const name of await contents.names(before))
      if (!fileIdPattern.test(name) || !(await files.exists(name))) await contents.remove(name);
  }

  /** Deletes up to `limit` files that expired before `now`. @returns how many there were. */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const ids = await this.#deps.files.expired(now, limit);
    for (const id of ids) await this.delete(id);
    return ids.length;
  }

  /** @throws HearthError `invalid_value` when the team has more files or bytes than it may, those being written included. */
  async refuseBeyondQuota(teamId: string): Promise<void> {
    const { files, limits } = this.#deps;
    const stored = await files.readUsage(teamId);
    const drafts = this.#drafts.get(teamId) ?? { files: 0, bytes: 0 };
    if (stored.files + drafts.files > limits.teamFilesMax)
      throw beyondQuota(`at most ${limits.teamFilesMax} files`);
    if (stored.bytes + drafts.bytes > limits.teamFileBytesMax)
      throw beyondQuota(`files of at most ${limits.teamFileBytesMax} bytes together`);
  }

  #count(teamId: string, files: number, bytes: number): void {
    const drafts = this.#drafts.get(teamId) ?? { files: 0, bytes: 0 };
    if (drafts.files + files === 0) this.#drafts.delete(teamId);
    else this.#drafts.set(teamId, { files: drafts.files + files, bytes: drafts.bytes + bytes });
  }
}

async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toStorageError(thrown);
  }
}

/** Turns errors of the file system into one that clients may see. */
function toStorageError(thrown: unknown): HearthError {
  if (thrown instanceof HearthError || readErrorCode(thrown) === "") return toHearthError(thrown);
  return new HearthError("overloaded", "The server currently cannot store files. Please try again later.", {
    retryAfterSeconds: 60,
    cause: thrown,
  });
}

function tooLarge({ fileBytesMax }: FileLimits): HearthError {
  return new HearthError("body_too_large", `file: must have at most ${fileBytesMax} bytes`, {
    param: "file",
  });
}

function beyondQuota(what: string): HearthError {
  const message = `A team may have ${what}. Delete files or ended message batches first.`;
  return new HearthError("invalid_value", message, { code: "storage_limit_exceeded" });
}

function notFound(id: string): HearthError {
  return new HearthError("not_found", `The file '${id.slice(0, 100)}' does not exist.`, { param: "file_id" });
}
