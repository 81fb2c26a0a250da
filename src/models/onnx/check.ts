/**
 * Checks the files of a model with ONNX graphs before native code opens them: that they are regular files, that each graph is
 * whole, and that graphs refer to data in their own folder only. Reads no weights.
 */
import { readdir, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Model } from "../../core/model.js";
import { openRegularFile } from "../../system/regular-file.js";
import { GgufRefusal, grouped, quoted } from "../gguf/refusal.js";
import { Source } from "../gguf/source.js";
import { scanOnnx, type ExternalFile } from "./scan.js";

/** Folders of a model in which the engines read files; the empty name is the model's own folder. */
const partFolders = ["", "onnx", "scheduler", "tokenizer", "text_encoder", "unet", "vae_decoder", "vae"];
const filesPerFolderMax = 1000;

/** Files that must exist. */
interface RequiredFiles {
  /** Names of graphs in `onnx`, without number type and ending. */
  readonly graphs: readonly string[];
  /** Names of other files in the model's own folder. */
  readonly others: readonly string[];
}

/**
 * Checks every file that the engines may read in a model's folder.
 * @returns null if native code may open them, otherwise a public clause that names the file and says what is wrong
 */
export async function checkOnnxModel({ path }: Model, required: RequiredFiles): Promise<string | null> {
  const folder = dirname(path);
  const found: string[] = [];
  for (const name of await filesIn(folder)) {
    const stats = await stat(join(folder, name)).catch(() => null);
    // A link that leads nowhere is a missing file; whether it is needed is checked elsewhere.
    if (stats === null || stats.isDirectory()) continue;
    // Opening a pipe would never return, and a device has no end.
    if (!stats.isFile()) return `its file ${quoted(name)} is not a regular file.`;
    found.push(name);
  }
  const missing = findMissing(required, found);
  if (missing !== undefined) return `its file ${quoted(missing)} is missing.`;
  const graphs = found.filter((name) => name.endsWith(".onnx"));
  for (const name of graphs) {
    const problem = await checkGraph(folder, name);
    if (problem !== null) return `its file ${quoted(name)} is refused: ${problem}`;
  }
  return null;
}

function findMissing({ graphs, others }: RequiredFiles, found: readonly string[]): string | undefined {
  const graph = graphs.find((part) => !found.some((name) => isGraph(name, part)));
  return graph === undefined ? others.find((name) => !found.includes(name)) : `onnx/${graph}.onnx`;
}

/** Returns whether a file is a graph in any number type, such as `onnx/encoder_model_fp16.onnx`. */
function isGraph(name: string, part: string): boolean {
  const prefix = join("onnx", part);
  return (
    name === `${prefix}.onnx` ||
    (/^_[a-z0-9]+\.onnx$/.test(name.slice(prefix.length)) && name.startsWith(prefix))
  );
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const part of partFolders) {
    const inside = await readdir(join(folder, part)).catch(() => []);
    names.push(...inside.slice(0, filesPerFolderMax).map((name) => join(part, name)));
  }
  return names;
}

async function checkGraph(folder: string, name: string): Promise<string | null> {
  let file: FileHandle | null = null;
  try {
    file = await openRegularFile(join(folder, name));
    for (const external of await scanOnnx(new Source(file, (await file.stat()).size))) {
      const problem = await checkExternal(dirname(join(folder, name)), external);
      if (problem !== null) return problem;
    }
    return null;
  } catch (thrown) {
    return thrown instanceof GgufRefusal ? thrown.message : "it cannot be read.";
  } finally {
    await file?.close();
  }
}

/** @param folder the folder of the graph, in which its data must be. */
async function checkExternal(folder: string, { location, end }: ExternalFile): Promise<string | null> {
  const isInFolder = location === basename(location) && !/^\.{0,2}$|[\\:\0]/.test(location);
  if (!isInFolder) return `it refers to data outside its folder (${quoted(location)}).`;
  const stats = await stat(join(folder, location)).catch(() => null);
  if (stats === null) return `its data ${quoted(location)} is missing.`;
  if (!stats.isFile()) return `its data ${quoted(location)} is not a regular file.`;
  if (stats.size < end)
    return `its data ${quoted(location)} is ${grouped(stats.size)} bytes, it needs ${grouped(end)}: it is truncated.`;
  return null;
}
