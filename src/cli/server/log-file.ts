/** The log of a server in its data folder, which `hearth logs` prints. */
import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { formerLogFile, logFile } from "../../store/data-folder.js";
import { createDataFolder, createFolder } from "../../system/folder.js";

/**
 * Returns what appends lines to the log. When half of the bytes are written, the file becomes the former one, which it replaces. Nothing
 * is created before the first line. A disk that refuses a line loses it: it has also gone to standard error.
 */
export function openLogFile(folder: { readonly data: string }, bytesMax: number) {
  const file = logFile(folder);
  let opened: { readonly fd: number; bytes: number } | null = null;
  const open = () => {
    createDataFolder(folder.data);
    createFolder(dirname(file));
    const fd = openSync(file, "a", 0o600);
    return { fd, bytes: fstatSync(fd).size };
  };
  const close = (): void => {
    if (opened !== null) closeSync(opened.fd);
    opened = null;
  };
  return {
    write(line: string): void {
      try {
        // A restore, or a person, may have moved it.
        if (!existsSync(file)) close();
        opened ??= open();
        const length = Buffer.byteLength(line);
        if (opened.bytes > 0 && opened.bytes + length > bytesMax / 2) {
          close();
          renameSync(file, formerLogFile(folder));
          opened = open();
        }
        writeSync(opened.fd, line);
        opened.bytes += length;
      } catch {
        return;
      }
    },
  };
}
