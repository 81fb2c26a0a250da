/**
 * What models this server has. It owns the look into the model folders, what each model is called, and the verdict whether it
 * can be used; a model that cannot is listed with the reason. It does not load anything (engine/), and it does not decide who
 * may use what (accounts/). Folders are read once, at start.
 */
import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Model, ModelRegistry } from "../core/model.js";
import {
  describeBare,
  describeDiffusers,
  describeManifest,
  describeVision,
  manifestFile,
} from "./describe.js";
import { indexFile } from "./diffusers.js";
import { quoted } from "./gguf/refusal.js";
import { isLaterPart } from "./parts.js";
import { seerAmong, withSight } from "./sight.js";
import { isVisionFolder } from "./vision-folder.js";

const entriesPerFolderMax = 10_000;

export interface RegistryOptions {
  /** Folders of models; what is found first keeps its name. One that does not exist is empty. */
  readonly folders: readonly string[];
  /** Bound on the context of a GGUF without a manifest. */
  readonly contextTokensMax: number;
  /** Engine build and settings that change answers: they are part of each fingerprint. */
  readonly engine?: string;
  /** `model_type` of the models that can describe pictures here; absent: none can. */
  readonly visionFamilies?: readonly string[];
  /** Id or alias of the model that is to describe images; absent or null: the largest that can. */
  readonly visionModel?: string | null;
}

export interface LoadedRegistry extends ModelRegistry {
  /** What was left out and why: clashing ids and aliases, folders that cannot be read. Public sentences. */
  readonly warnings: readonly string[];
  /** The model that describes the images in conversations; null: there is none. */
  readonly seer: Model | null;
}

/**
 * Looks into every folder for subfolders with a manifest.json, a model_index.json, or a config.json and an onnx folder, and for
 * bare *.gguf files there and one folder deeper.
 * Never rejects for what the folders hold.
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
  const found = withAliases(models, warnings);
  const seer = seerAmong(found, options.visionModel ?? null, warnings);
  const byName = new Map([...found].map(([name, model]) => [name, withSight(model, seer)]));
  const sorted = [...models.keys()].sort().flatMap((id) => byName.get(id) ?? []);
  return { warnings, seer, list: () => sorted, find: (name) => byName.get(name) ?? null };
}

/** The same weights answer differently on another build of the engine, or with another type of cache. */
function fingerprintWith({ fingerprint }: Model, engine: string): string {
  return `fp_${createHash("sha256")
    .update(JSON.stringify([fingerprint, engine]))
    .digest("hex")
    .slice(0, 10)}`;
}

/** An id always wins over an alias; between aliases the first does. */
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
    if (isBareModel(name) && !(await isFolder(path)))
      models.push(await describeBare(folder, name, options.contextTokensMax));
    else if (await isFolder(path)) models.push(...(await scanSubfolder(path, options, warnings)));
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
  for (const name of names)
    if (isBareModel(name) && !(await isFolder(join(folder, name))))
      models.push(await describeBare(folder, name, contextTokensMax));
  return models;
}

function isBareModel(name: string): boolean {
  return /\.gguf$/i.test(name) && !isLaterPart(name);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** Names in a folder, hidden ones left out, in order. */
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

/** The same folder named twice is read once. */
async function distinct(folders: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return [...new Set(real)];
}
