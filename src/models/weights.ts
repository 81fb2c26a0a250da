import { stat } from "node:fs/promises";
import { join } from "node:path";
import { preflightGguf, readGguf, type GgufHeader } from "./gguf.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { listPartFiles } from "./parts.js";

/** The files of one model on disk. */
export interface Weights {
  /** Absolute path of the first, or only, file. */
  readonly path: string;
  /** The size of all parts together; 0 if one is missing. */
  readonly bytes: number;
  /** Modification time of the first file in milliseconds since the epoch; 0 if it is missing. */
  readonly modifiedTime: number;
  /** The header of the first file; null if there is a `problem`. */
  readonly header: GgufHeader | null;
  /** A public clause that says why these files cannot be used, or null. */
  readonly problem: string | null;
}

/**
 * Checks the files of a model: that all parts are present, have the size in the manifest (null = any), and
 * pass the preflight check. A symbolic link is followed, because people link weights stored elsewhere; its
 * target must be a regular file.
 */
export async function inspectWeights(
  folder: string,
  file: string,
  bytesExpected: number | null,
): Promise<Weights> {
  const files = listPartFiles(file);
  const path = join(folder, file);
  let bytes = 0;
  let modifiedTime = 0;
  for (const name of files) {
    const stats = await stat(join(folder, name)).catch(() => null);
    const problem = stats === null ? "is missing" : stats.isFile() ? null : "is not a regular file";
    if (stats === null || problem !== null)
      return {
        path,
        bytes: 0,
        modifiedTime,
        header: null,
        problem: `its file ${quoted(name)} ${problem ?? ""}.`,
      };
    bytes += stats.size;
    if (name === file) modifiedTime = stats.mtimeMs;
  }
  const found = { path, bytes, modifiedTime };
  if (bytesExpected !== null && bytes !== bytesExpected)
    return { ...found, header: null, problem: wrongSize(file, bytes, bytesExpected) };
  return { ...found, ...(await readParts(folder, file, files)) };
}

async function readParts(
  folder: string,
  file: string,
  files: readonly string[],
): Promise<{ readonly header: GgufHeader | null; readonly problem: string | null }> {
  const first = await preflightGguf(join(folder, file));
  if (!first.ok) return { header: null, problem: `its file ${quoted(file)} is refused: ${first.reason}` };
  for (const name of files) {
    if (name === file) continue;
    const result = await readGguf(join(folder, name));
    if (!result.ok) return { header: null, problem: `its file ${quoted(name)} is refused: ${result.reason}` };
  }
  const declaredParts = first.header.metadata.values.get("split.count") ?? 1;
  const parts = files.length;
  // The header of a single file says 0, 1 or nothing.
  if (declaredParts !== parts && !(declaredParts === 0 && parts === 1))
    return {
      header: null,
      problem: `its file ${quoted(file)} is one of ${String(declaredParts)} parts, by its name one of ${parts}.`,
    };
  return { header: first.header, problem: null };
}

/** Returns the clause for files whose size differs from the manifest. */
function wrongSize(file: string, bytes: number, bytesExpected: number): string {
  const verdict = bytes < bytesExpected ? "the file is truncated" : "the file is not the one it describes";
  return `${quoted(file)} is ${grouped(bytes)} bytes, the manifest says ${grouped(bytesExpected)}: ${verdict}.`;
}
