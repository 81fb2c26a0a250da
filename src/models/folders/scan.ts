/**
 * Finds the models in the model folders: *.gguf files, and folders that contain a manifest.json, a model_index.json, a config.json with an
 * onnx folder, or *.gguf files, directly or in the layout `publisher/repository/`.
 */
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Model, ProjectorFile } from "../../core/model.js";
import {
  describeBare,
  describeDiffusers,
  describeManifest,
  describeVision,
  manifestFile,
} from "../describe.js";
import { indexFile } from "../diffusers.js";
import { readAdapter, type AdapterFile } from "../gguf/adapter.js";
import { chooseProjector, readProjector } from "../gguf/projector.js";
import { quoted } from "../gguf/refusal.js";
import { bySuitability, findQuant } from "../hub/choose/quants.js";
import { isModelId } from "../manifest.js";
import { isFirstGguf, isMainModel, listPartFiles, readModelStem } from "../parts.js";
import type { FileCache } from "./file-cache.js";
import { findFileOrigin, readSourceRecord } from "../source-record.js";
import { isVisionFolder } from "../vision/folder.js";

const entriesPerFolderMax = 10_000;
/** Folders of one publisher. */
const depthMax = 2;

/** A model as its files describe it. */
export interface FoundModel {
  readonly model: Model;
  /** Names that its place in the folders suggests. */
  readonly suggestedAliases: readonly string[];
  /** The folder of models that it is in. */
  readonly root: string;
  /** Whether it is a GGUF file, and no manifest states its context. */
  readonly isBare: boolean;
  /** What the file is if it is a LoRA adapter, which is unusable without a base; null: a model. */
  readonly adapter: AdapterFile | null;
  /** What reads images or sound for the model; absent: nothing does. */
  readonly projector?: ProjectorFile | undefined;
}

/** What a scan has read of the files of models. */
export type ReadFiles = FileCache<ReadFile>;

interface ReadFile {
  readonly model: Model;
  readonly adapter: AdapterFile | null;
  readonly projector: ProjectorFile | null;
}

interface Scan {
  readonly root: string;
  readonly readFiles: ReadFiles;
  readonly visionFamilies: readonly string[];
  readonly warnings: string[];
  /** Receives what is no model, but belongs to one. */
  readonly projectors: ProjectorFile[];
}

/**
 * Scans folders of models, each once, in their order. A folder that does not exist counts as empty. Never rejects because of what the
 * folders contain.
 * @param warnings receives public sentences about what was skipped
 * @param readFiles of earlier scans
 */
export async function scanFolders(
  folders: readonly string[],
  visionFamilies: readonly string[],
  warnings: string[],
  readFiles: ReadFiles,
): Promise<readonly FoundModel[]> {
  const found: FoundModel[] = [];
  for (const root of await distinct(folders)) {
    const projectors: ProjectorFile[] = [];
    const models = await scanFolder(root, [], { root, visionFamilies, warnings, readFiles, projectors });
    found.push(...withProjectors(models, projectors));
  }
  readFiles.sweep();
  return found;
}

/** @param place names of the folders between the root and this one */
async function scanFolder(
  folder: string,
  place: readonly string[],
  scan: Scan,
): Promise<readonly FoundModel[]> {
  const found: FoundModel[] = [];
  for (const name of await namesIn(folder, scan.warnings)) {
    const path = join(folder, name);
    if (await isFolder(path)) found.push(...(await scanSubfolder(path, [...place, name], scan)));
    else if (isFirstGguf(name)) found.push(...(await bare(folder, name, place, scan)));
    else warnAboutArchive(name, scan.warnings);
  }
  return found;
}

async function scanSubfolder(
  folder: string,
  place: readonly string[],
  scan: Scan,
): Promise<readonly FoundModel[]> {
  const names = await namesIn(folder, scan.warnings);
  const model = await modelOfFolder(folder, names, scan.visionFamilies);
  const suggestedAliases = place.length === depthMax ? [place.join("/")].filter(isModelId) : [];
  const isBare = model?.trainedTokens !== undefined;
  if (model !== null) return [{ model, suggestedAliases, root: scan.root, isBare, adapter: null }];
  if (place.length < depthMax) return scanFolder(folder, place, scan);
  const found: FoundModel[] = [];
  // The repository's name alone leads to the file that a pull without a quantization takes.
  const files = names.filter(isFirstGguf).sort((a, b) => bySuitability(findQuant(a), findQuant(b)));
  for (const name of files)
    if (!(await isFolder(join(folder, name)))) found.push(...(await bare(folder, name, place, scan)));
  return found;
}

async function modelOfFolder(
  folder: string,
  names: readonly string[],
  visionFamilies: readonly string[],
): Promise<Model | null> {
  if (names.includes(manifestFile)) return describeManifest(folder, names, visionFamilies);
  if (names.includes(indexFile)) return describeDiffusers(folder);
  return isVisionFolder(names) ? describeVision(folder, visionFamilies) : null;
}

/** Returns the model of a GGUF file; nothing for a projector. */
async function bare(
  folder: string,
  file: string,
  place: readonly string[],
  { root, readFiles, projectors }: Scan,
): Promise<readonly FoundModel[]> {
  const paths = listPartFiles(file).map((part) => join(folder, part));
  const { model, adapter, projector } = await readFiles.get(paths, async () => {
    const described = await describeBare(folder, file);
    const isUsable = described.unusable === null;
    return {
      model: described,
      adapter: isUsable ? null : await readAdapter(described.path),
      projector: isUsable ? null : await readProjector(described.path),
    };
  });
  if (projector !== null) {
    projectors.push(projector);
    return [];
  }
  const record = await readSourceRecord(folder);
  const origin = record === null ? null : findFileOrigin(record, file);
  const license = model.manifest.license === "unknown" ? origin?.license : null;
  return [
    {
      model: typeof license === "string" ? { ...model, manifest: { ...model.manifest, license } } : model,
      suggestedAliases: [...[origin?.name ?? ""].filter(isModelId), ...listSuggestions(place, file)],
      root,
      isBare: true,
      adapter,
    },
  ];
}

/** Gives each chat model the projector beside it. Quantizations of one model share theirs. */
function withProjectors(
  found: readonly FoundModel[],
  projectors: readonly ProjectorFile[],
): readonly FoundModel[] {
  if (projectors.length === 0) return found;
  const isChat = ({ model, adapter }: FoundModel): boolean =>
    model.manifest.kind === "chat" && model.unusable === null && adapter === null;
  return found.map((each) => {
    if (!isChat(each)) return each;
    const { path } = each.model;
    const families = found
      .filter((other) => isChat(other) && dirname(other.model.path) === dirname(path))
      .map(({ model }) => readModelStem(basename(model.path)).replace(quantAtEnd, ""));
    const projector = chooseProjector(path, projectors, new Set(families).size > 1) ?? undefined;
    return { ...each, model: { ...each.model, projectorBeside: projector?.path }, projector };
  });
}

/** The type of weights at the end of a file's name. */
const quantAtEnd = /[-_.](?:i?q\d\w*|b?f16|f32|mxfp4\w*)$/i;

/**
 * `publisher/repository:Q4_K_M` and `publisher/repository` for a file in the folder of a repository, which is named for no projector and
 * no draft. Last, its whole path, which no other file has.
 */
function listSuggestions(place: readonly string[], file: string): readonly string[] {
  if (place.length !== depthMax) return [];
  const repository = place.join("/");
  const quant = findQuant(file);
  const named = [...(quant === null ? [] : [`${repository}:${quant}`]), repository];
  const path = `${repository}/${readModelStem(file)}`;
  return [...(isMainModel(file, repository) ? named : []), path].filter(isModelId);
}

/** An archive is never unpacked: its paths could lead anywhere. */
function warnAboutArchive(name: string, warnings: string[]): void {
  if (/\.(zip|tar|tgz|7z|rar|tar\.[a-z0-9]+)$/i.test(name))
    warnings.push(`The archive ${quoted(name)} is not a model; unpack it to use what it contains.`);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** Returns the names in a folder in order, without hidden ones. */
async function namesIn(folder: string, warnings: string[]): Promise<readonly string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
    if (names.length > entriesPerFolderMax)
      warnings.push(
        `A folder of models has more than ${entriesPerFolderMax} entries; the rest was not read.`,
      );
    return names.slice(0, entriesPerFolderMax);
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
    if (code !== "ENOENT") warnings.push(`The folder of models ${folder} cannot be read (${code}).`);
    return [];
  }
}

/** Removes folders that are listed twice. */
async function distinct(folders: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return [...new Set(real)];
}
