/** Links models of other programs into the folder of models. Nothing is copied, and no file of another program changes. */
import { lstat, mkdir, readlink, realpath, stat, symlink, unlink } from "node:fs/promises";
import { join, sep } from "node:path";
import type { OnProgress } from "../../core/report/progress.js";
import { findHuggingFaceModels } from "./hugging-face.js";
import { findLmStudioModels } from "./lm-studio.js";
import { findOllamaModels } from "./ollama.js";
import type { ForeignModel, ForeignModels, Skipped } from "./foreign-model.js";

const finders = {
  ollama: findOllamaModels,
  lmstudio: findLmStudioModels,
  hf: findHuggingFaceModels,
} as const satisfies Record<string, (folder: string) => Promise<ForeignModels>>;

/** A program that has models on this machine. */
type ForeignProgram = keyof typeof finders;

/** A model that is linked, now or since an earlier time. */
interface LinkedModel {
  /** As the other program calls it. */
  readonly name: string;
  /** Absolute path of its first file in the folder of models. */
  readonly path: string;
  /** Another name for requests; null: none. */
  readonly alias: string | null;
}

export interface LinkReport {
  readonly linked: readonly LinkedModel[];
  /** Those that were linked before. */
  readonly present: readonly LinkedModel[];
  /** Those that are not for Hearth, or whose place is taken. */
  readonly skipped: readonly Skipped[];
  /** Those that could be used and were not linked, because a folder or a link could not be made. */
  readonly failed: readonly Skipped[];
}

interface LinkOptions {
  readonly from: ForeignProgram;
  /** Folder of the other program. */
  readonly source: string;
  /** The folder of models. */
  readonly folder: string;
  /** All folders that models are read from. */
  readonly folders: readonly string[];
  /** Whether nothing is to be changed. */
  readonly isDryRun: boolean;
  /** It may throw, which ends the work between two models. */
  readonly onProgress?: OnProgress;
}

/** Links every model that can be used; one that fails does not stop the others. @throws Error when the folder of the other program is none. */
export async function linkModels(options: LinkOptions): Promise<LinkReport> {
  const { from, source, isDryRun } = options;
  if (!((await stat(source).catch(() => null))?.isDirectory() ?? false))
    throw new Error(
      `there is no folder ${source}; if the models are elsewhere: \`hearth import --from ${from} FOLDER\``,
    );
  options.onProgress?.({ phase: `reading ${source}`, done: 0, total: 0, unit: "models" });
  const found = await finders[from](source);
  if (!isDryRun) await mkdir(options.folder, { recursive: true });
  const folder = await realpath(options.folder).catch(() => options.folder);
  const linked: LinkedModel[] = [];
  const present: LinkedModel[] = [];
  const skipped = [...found.skipped];
  const failed: Skipped[] = [];
  const isRead = await isReadAlready(source, options.folders);
  for (const [done, model] of found.models.entries()) {
    options.onProgress?.({ phase: "linking", done, total: found.models.length, unit: "models" });
    const { name, alias } = model;
    const path = join(folder, ...model.place, model.files[0]?.name ?? "");
    try {
      const problem = isRead ? "its folder is one of the folders of models" : await conflict(folder, model);
      if (problem !== null) skipped.push({ name, reason: problem });
      else if (await isLinked(folder, model)) present.push({ name, path, alias });
      else {
        if (!isDryRun) await link(folder, model);
        linked.push({ name, path, alias });
      }
    } catch (thrown) {
      failed.push({ name, reason: explainLinkFailure(thrown) });
    }
  }
  return { linked, present, skipped, failed };
}

export function explainLinkFailure(thrown: unknown, platform = process.platform): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  if (code === "ENAMETOOLONG") return "its name is too long";
  if (code === "EPERM" && platform === "win32")
    return "Windows lets administrators make links, and others in developer mode (Settings, For developers)";
  return thrown instanceof Error ? thrown.message : String(thrown);
}

async function isReadAlready(source: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(source);
  const roots = await Promise.all(folders.map((each) => realpath(each).catch(() => each)));
  return roots.some((root) => real === root || real.startsWith(root + sep));
}

/** Returns why a model cannot be linked: a file with its name that is no link to nothing. */
async function conflict(folder: string, { place, files }: ForeignModel): Promise<string | null> {
  for (const part of [place[0], place[1], ...files.map(({ name }) => name)])
    if (part.startsWith(".") || /[/\\\0]/.test(part)) return "its name is no name of a file";
  for (const { path, name } of files) {
    const at = join(folder, ...place, name);
    const target = await readTarget(at);
    if (target === "file") return `${at} is another file`;
    if (target !== null && target !== path && (await stat(at).catch(() => null)) !== null)
      return `${at} leads to another file`;
  }
  return null;
}

/** Returns where a link leads, as it is written, and `file` for what is no link; null if nothing is there. */
async function readTarget(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return null;
  return stats.isSymbolicLink() ? readlink(path) : "file";
}

async function isLinked(folder: string, { place, files }: ForeignModel): Promise<boolean> {
  for (const { path, name } of files)
    if ((await readTarget(join(folder, ...place, name))) !== path) return false;
  return true;
}

async function link(folder: string, { place, files }: ForeignModel): Promise<void> {
  const own = join(folder, ...place);
  await mkdir(own, { recursive: true });
  for (const { path, name } of files) {
    const at = join(own, name);
    const target = await readTarget(at);
    if (target === path) continue;
    // A link to a file that is gone.
    if (target !== null) await unlink(at);
    await symlink(path, at, "file");
  }
}
