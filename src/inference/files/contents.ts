/**
 * The contents of files on the disk: one file for each, named by its id. It is written under a temporary name, synced and renamed, so
 * that a name without `.partial` is always complete. A process that dies leaves files without a row, which the next start removes.
 */
import { createReadStream } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../../system/sync-folder.js";
import { createFolder, namesBefore } from "../../system/folder.js";
import { readErrorCode } from "../../system/file-errors.js";

/** Names of complete contents. */
export const fileIdPattern = /^file-[0-9a-f]{32}$/;
const partial = ".partial";

/** The content of a file while it is written. */
export type ContentWriter = ReturnType<typeof createWriter>;

export type FileContents = ReturnType<typeof createFileContents>;

/**
 * Opens the folder, which is created with the first file.
 * @param syncNames writes its names to the disk.
 */
export function createFileContents(
  folder: string,
  syncNames: (folder: string) => Promise<void> = syncFolder,
) {
  const at = (name: string): string => join(folder, name);
  const remove = (name: string): Promise<void> => unlink(at(name)).catch(ignoreMissing);
  return {
    /** Starts to write the content of a new file. @throws Error of Node. */
    async create(id: string): Promise<ContentWriter> {
      createFolder(folder);
      let names = [id + partial];
      return createWriter(await open(at(id + partial), "wx", 0o600), {
        finish: async () => {
          names = [...names, id];
          await rename(at(id + partial), at(id));
          await syncNames(folder);
        },
        async discard() {
          for (const name of names) await remove(name);
        },
      });
    },
    /** Opens a content. @throws Error of Node, with its code. */
    async read(id: string): Promise<Readable> {
      const handle = await open(at(id), "r");
      return createReadStream("", { fd: handle });
    },
    /** Removes a file of the folder by its name, which is the id of a complete content; does nothing when there is none. */
    remove,
    /** Returns the names of the files in the folder that were last written before this time. */
    names: (before: number): Promise<readonly string[]> =>
      namesBefore(folder, before).catch((thrown: unknown) => {
        ignoreMissing(thrown);
        return [];
      }),
  };
}

function createWriter(
  handle: FileHandle,
  end: { readonly finish: () => Promise<void>; readonly discard: () => Promise<void> },
) {
  let isOpen = true;
  return {
    async write(chunk: Uint8Array): Promise<void> {
      await handle.writeFile(chunk);
    },
    /** Makes the content complete: it survives a power cut once this resolves. */
    async finish(): Promise<void> {
      await handle.sync();
      await handle.close();
      await end.finish();
      isOpen = false;
    },
    /** Removes what was written; does nothing after `finish`. */
    async discard(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await handle.close().catch(() => undefined);
      await end.discard();
    },
  };
}

function ignoreMissing(thrown: unknown): void {
  if (readErrorCode(thrown) !== "ENOENT") throw thrown;
}
