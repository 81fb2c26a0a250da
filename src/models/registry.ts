/**
 * Lists the models of this server: scans the model folders, assigns ids and aliases, and determines whether
 * each model is usable. An unusable model is listed with the reason. Folders are read once, at start; a model that
 * turns out to be unusable later is rejected. The engine loads models; accounts/ decides who may use them.
 */
import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Model, ModelRegistry } from "../core/model.js";
import {
  describeBare,
  type ContextLimit,
  describeDiffusers,
  describeManifest,
  describeVision,
  manifestFile,
} from "./describe.js";
import { indexFile } from "./diffusers.js";
import { quoted } from "./gguf/refusal.js";
import { isLaterPart } from "./parts.js";
import { chooseUnusableVisionModel, chooseVisionModel, withImageInput } from "./vision-model.js";
import { isVisionFolder } from "./vision-folder.js";

const entriesPerFolderMax = 10_000;

export interface RegistryOptions {
  /**
   * Folders of models. The first model found with an id keeps it. A folder that does not exist counts as
   * empty.
   */
  readonly folders: readonly string[];
  /** The largest context of a GGUF file without a manifest, or how to find it. */
  readonly contextTokensMax: ContextLimit;
  /** Engine build and settings that change the output; they are part of each fingerprint. */
  readonly engine?: string;
  /** The `model_type` values of supported vision models; absent: none is supported. */
  readonly visionFamilies?: readonly string[];
  /** Id or alias of the model that describes images; absent or null: the largest usable one. */
  readonly visionModel?: string | null;
}

export interface LoadedRegistry extends ModelRegistry {
  /** Public sentences about what was skipped and why: conflicting ids and aliases, unreadable folders. */
  readonly warnings: readonly string[];
  /** The model that describes the images in conversations; null if there is none. */
  readonly visionModel: Model | null;
  /** The model that would describe images if it were usable; null if there is none, or a usable one. */
  readonly unusableVisionModel: Model | null;
  /** Makes a model unusable, because it cannot be loaded. @param reason a public clause */
  reject(id: string, reason: string): void;
}

/**
 * Scans every folder for *.gguf files and for subfolders that contain a manifest.json, a model_index.json, a
 * config.json with an onnx folder, or *.gguf files.
 * Never rejects because of what the folders contain.
 */
export async function loadRegistry(options: RegistryOptions): Promise<LoadedRegistry> {
  const warnings: string[] = [];
  const models = new Map<string, Model>();
  for (const folder of await distinct(options.folders))
    for (const model of await scanFolder(folder, options, warnings)) {
      const { id, file } = model.manifest;
      if (models.has(id))
        warnings.push(`Two models are called ${quoted(id)}; the one in ${quoted(file)} was left out.`);
      else models.set(id, { ...model, fingerprint: fingerprintWith(model, options.engine ?? "") });
    }
  const named = options.visionModel ?? null;
  let listed = listingOf(models, named, warnings);
  return {
    warnings,
    get visionModel() {
      return listed.visionModel;
    },
    get unusableVisionModel() {
      return listed.unusableVisionModel;
    },
    list: () => listed.sorted,
    find: (name) => listed.byName.get(name) ?? null,
    reject(id, reason) {
      const model = models.get(id);
      if (model === undefined) return;
      models.set(id, { ...model, unusable: reason });
      // The names are the same as before, and so are the warnings about them.
      listed = listingOf(models, named, []);
    },
  };
}

/** What the server shows of its models. */
interface Listing extends Pick<LoadedRegistry, "visionModel" | "unusableVisionModel"> {
  readonly byName: ReadonlyMap<string, Model>;
  /** In order of id. */
  readonly sorted: readonly Model[];
}

/** @param named the vision model that the operator chose; null: the largest usable one */
function listingOf(models: ReadonlyMap<string, Model>, named: string | null, warnings: string[]): Listing {
  const found = withAliases(models, warnings);
  const visionModel = chooseVisionModel(found, named, warnings);
  const unusableVisionModel = visionModel === null ? chooseUnusableVisionModel(found, named) : null;
  const byName = new Map([...found].map(([name, model]) => [name, withImageInput(model, visionModel)]));
  const sorted = [...models.keys()].sort().flatMap((id) => byName.get(id) ?? []);
  return { visionModel, unusableVisionModel, byName, sorted };
}

/**
 * Adds the engine to the fingerprint, because another build or cache type changes the output of the same
 * weights.
 */
function fingerprintWith({ fingerprint }: Model, engine: string): string {
  return `fp_${createHash("sha256")
    .update(JSON.stringify([fingerprint, engine]))
    .digest("hex")
    .slice(0, 10)}`;
}

/** Adds the aliases. An id takes precedence over an alias, and an earlier alias over a later one. */
function withAliases(models: ReadonlyMap<string, Model>, warnings: string[]): ReadonlyMap<string, Model> {
  const byName = new Map(models);
  for (const model of models.values())
    for (const alias of model.manifest.aliases) {
      const holder = byName.get(alias);
      if (holder === undefined) byName.set(alias, model);
      else if (holder !== model)
        warnings.push(
          `The alias ${quoted(alias)} of ${quoted(model.manifest.id)} belongs to ${quoted(holder.manifest.id)} already.`,
        );
    }
  return byName;
}

async function scanFolder(
  folder: string,
  options: RegistryOptions,
  warnings: string[],
): Promise<readonly Model[]> {
  const models: Model[] = [];
  for (const name of await namesIn(folder, warnings)) {
    const path = join(folder, name);
    if (await isFolder(path)) models.push(...(await scanSubfolder(path, options, warnings)));
    else if (isBareModel(name)) models.push(await describeBare(folder, name, options.contextTokensMax));
    else warnAboutArchive(name, warnings);
  }
  return models;
}

async function scanSubfolder(
  folder: string,
  { contextTokensMax, visionFamilies = [] }: RegistryOptions,
  warnings: string[],
): Promise<readonly Model[]> {
  const names = await namesIn(folder, warnings);
  if (names.includes(manifestFile)) return [await describeManifest(folder, visionFamilies)];
  if (names.includes(indexFile)) return [await describeDiffusers(folder)];
  if (isVisionFolder(names)) return [await describeVision(folder, visionFamilies)];
  const models: Model[] = [];
  for (const name of names) {
    if (await isFolder(join(folder, name))) continue;
    if (isBareModel(name)) models.push(await describeBare(folder, name, contextTokensMax));
    else warnAboutArchive(name, warnings);
  }
  return models;
}

/** An archive is never unpacked: its paths could lead anywhere. */
function warnAboutArchive(name: string, warnings: string[]): void {
  if (/\.(zip|tar|tgz|7z|rar|tar\.[a-z0-9]+)$/i.test(name))
    warnings.push(`The archive ${quoted(name)} is not a model; unpack it to use what it contains.`);
}

function isBareModel(name: string): boolean {
  return /\.gguf$/i.test(name) && !isLaterPart(name);
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
