import { stat } from "node:fs/promises";
import { join } from "node:path";
import { preflightGguf, readGguf, type GgufHeader } from "./gguf.js";
import { grouped, quoted } from "./gguf/refusal.js";
import { partsOf } from "./parts.js";

/** The files of one model as they lie on disk. */
export interface Weights {
  /** Absolute path of the first, or only, file. */
  readonly path: string;
  /** Of all parts together; 0 when one is missing. */
  readonly bytes: number;
  /** When the first file was last changed, milliseconds since the epoch; 0 when it is missing. */
  readonly modifiedTime: number;
  /** The first file's header; null when `problem` is told. */
  readonly header: GgufHeader | null;
  /** A public clause saying why these files cannot be used. */
  readonly problem: string | null;
}

/**
 * Looks at the files of a model: that all parts are there, have the size the manifest says (null = any), and pass preflight.
 * A symbolic link is followed, as people link weights they keep elsewhere; what it leads to must be a regular file.
 */
export async function inspectWeights(
  folder: string,
  file: string,
  bytesDue: number | null,
): Promise<Weights> {
  const files = partsOf(file);
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
  if (bytesDue !== null && bytes !== bytesDue)
    return { ...found, header: null, problem: wrongSize(file, bytes, bytesDue) };
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
  const told = first.header.metadata.values.get("split.count") ?? 1;
  const parts = files.length;
  // A single file says 0, 1 or nothing.
  if (told !== parts && !(told === 0 && parts === 1))
    return {
      header: null,
      problem: `its file ${quoted(file)} is one of ${String(told)} parts, by its name one of ${parts}.`,
    };
  return { header: first.header, problem: null };
}

/** The clause for files whose size is not what the manifest says. */
function wrongSize(file: string, bytes: number, bytesDue: number): string {
  const verdict = bytes < bytesDue ? "the file is truncated" : "the file is not the one it describes";
  return `${quoted(file)} is ${grouped(bytes)} bytes, the manifest says ${grouped(bytesDue)}: ${verdict}.`;
}
