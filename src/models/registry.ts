/**
 * Lists the models of this server: scans the model folders, applies the settings of the operator, assigns names, and determines whether
 * each model is usable. An unusable model is listed with the reason. A refresh reads folders and settings again; a model that turns out to
 * be unusable later is rejected. The engine loads models; accounts/ decides who may use them.
 */
import { dirname, relative } from "node:path";
import { dropProjector, type Model } from "../core/model.js";
import { adaptedModel } from "./adapters.js";
import { applySettings, type ContextLimit } from "./apply-settings.js";
import { quoted } from "./gguf/refusal.js";
import { assignNames, type ModelNames } from "./model-names.js";
import { FileCache } from "./folders/file-cache.js";
import { scanFolders, type FoundModel, type ReadFiles } from "./folders/scan.js";
import {
  modelsWithoutFile,
  placed,
  placementWarnings,
  remoteLimit,
  type Placements,
} from "./remote/placement.js";
import { modelsWithTokenizer } from "./remote/vocabulary/find.js";
import type { ModelSettings, SettingsByModel } from "./settings.js";
import { chooseUnusableVisionModel, chooseVisionModel, withImageInput } from "./vision/model.js";

export interface RegistryOptions {
  /**
   * Folders of models. The first model found with an id keeps it. A folder that does not exist counts as
   * empty.
   */
  readonly folders: readonly string[];
  /** The largest context of a GGUF file without a manifest, or how to find it. */
  readonly contextTokensMax: ContextLimit;
  /** Returns the settings of models by id, and a public sentence that says what is wrong with them; absent: there are none. */
  readonly readSettings?: () => { readonly settings: SettingsByModel; readonly problem: string | null };
  /** Engine build and settings that change the output; they are part of each fingerprint. */
  readonly engine?: string;
  /** The `model_type` values of supported vision models; absent: none is supported. */
  readonly visionFamilies?: readonly string[];
  /** Id or alias of the model that describes images; absent or null: the largest usable one. */
  readonly visionModel?: string | null;
  /** The models that run on remote engines; absent: none. */
  readonly placements?: Placements;
  /** The folder for vocabularies of such models that have no GGUF file; absent or null: they cannot be used. */
  readonly vocabularies?: string | null;
}

export type LoadedRegistry = Awaited<ReturnType<typeof loadRegistry>>;

/** Scans the folders. Never rejects because of what they contain. */
export async function loadRegistry(options: RegistryOptions) {
  const rejections = new Map<string, Rejection>();
  const projectorProblems = new Map<string, Rejection>();
  const readFiles: ReadFiles = new FileCache();
  let found = await findModels(options, readFiles);
  let listed = await listModels(options, found);
  const show = (): Shown => withRejections(withoutProjectors(listed, projectorProblems), rejections);
  let shown = show();
  let refreshing: Promise<void> = Promise.resolve();
  const refresh = (isScan: boolean): Promise<void> => {
    refreshing = refreshing.then(async () => {
      if (isScan) found = await findModels(options, readFiles);
      listed = await listModels(options, found);
      shown = show();
    });
    return refreshing;
  };
  return {
    /** Public sentences about what was skipped and why: conflicting ids and aliases, unreadable folders. */
    get warnings(): readonly string[] {
      return listed.warnings;
    },
    /** The model that describes the images in conversations; null if there is none. */
    get visionModel(): Model | null {
      return shown.visionModel;
    },
    /** The model that would describe images if it were usable; null if there is none, or a usable one. */
    get unusableVisionModel(): Model | null {
      return shown.unusableVisionModel;
    },
    list: (): readonly Model[] => shown.sorted,
    find: (name: string): Model | null => shown.find(name),
    /** Makes a model unusable, because it cannot be loaded, until its files or settings change. @param reason a public clause */
    reject(id: string, reason: string): void {
      const model = listed.models.get(id);
      if (model === undefined) return;
      rejections.set(id, { fingerprint: model.fingerprint, reason });
      shown = show();
    },
    /** Takes the projector away from a model, until its files or settings change. @param reason a public clause */
    rejectProjector({ manifest, fingerprint }: Model, reason: string): void {
      projectorProblems.set(manifest.id, { fingerprint, reason });
      shown = show();
    },
    /** Reads the folders and the settings again. Requests that run keep the model that they began with. */
    refresh: () => refresh(true),
    /** Does the same with the settings alone: the folders are as they were read last. */
    refreshSettings: () => refresh(false),
  };
}

/** Why a model could not be loaded. */
interface Rejection {
  /** The fingerprint of the model that could not be loaded. */
  readonly fingerprint: string;
  readonly reason: string;
}

/** The models as files and settings describe them. */
interface Listing {
  readonly models: ReadonlyMap<string, Model>;
  readonly names: ModelNames;
  /** Id or alias of the vision model that the operator chose; null: the largest usable one. */
  readonly namedVisionModel: string | null;
  readonly warnings: readonly string[];
}

/** Names both by their paths in the folder of models, with that folder's name where there are two. */
function sameIdWarning(id: string, used: FoundModel, other: FoundModel): string {
  const from = (each: FoundModel): string =>
    relative(used.root === other.root ? each.root : dirname(each.root), each.model.path);
  const [kept, left] = [quoted(from(used)), quoted(from(other))];
  if (kept === left)
    return `Two folders of models have a model ${quoted(id)}, both at ${kept}; the one in the earlier folder is used.`;
  return `Two models are called ${quoted(id)}; ${kept} is used, ${left} was left out.`;
}

/** Returns a model with the path of its repository as its id. */
function withId(found: FoundModel, id: string): FoundModel {
  const { model, isBare } = found;
  // The file's own name is the other's.
  const aliases = isBare ? [] : model.manifest.aliases;
  return { ...found, model: { ...model, manifest: { ...model.manifest, id, name: id, aliases } } };
}

/** The models as their files describe them, by id. */
interface FoundModels {
  readonly models: ReadonlyMap<string, FoundModel>;
  readonly warnings: readonly string[];
}

async function findModels(options: RegistryOptions, readFiles: ReadFiles): Promise<FoundModels> {
  const { folders, visionFamilies = [], placements = new Map(), vocabularies = null } = options;
  const warnings: string[] = [];
  const found = new Map<string, FoundModel>();
  for (const each of await scanFolders(folders, visionFamilies, warnings, readFiles)) {
    const { id } = each.model.manifest;
    const first = found.get(id);
    const path = each.suggestedAliases.at(-1);
    if (first === undefined) found.set(id, each);
    // Repositories have files of one name.
    else if (path !== undefined && !found.has(path)) found.set(path, withId(each, path));
    else warnings.push(sameIdWarning(id, first, each));
  }
  const has = (id: string): boolean => found.has(id);
  const search = { folders, cacheFolder: vocabularies, readFiles };
  for (const each of await modelsWithTokenizer(placements, has, search))
    found.set(each.model.manifest.id, each);
  for (const each of modelsWithoutFile(placements, has)) found.set(each.model.manifest.id, each);
  return { models: found, warnings };
}

async function listModels(
  options: RegistryOptions,
  { models: found, warnings: warningsOfFiles }: FoundModels,
): Promise<Listing> {
  const { engine = "", contextTokensMax, visionModel = null, placements = new Map() } = options;
  const { settings, problem } = options.readSettings?.() ?? { settings: {}, problem: null };
  const warnings: string[] = problem === null ? [...warningsOfFiles] : [problem, ...warningsOfFiles];
  for (const id of Object.keys(settings))
    if (!found.has(id)) warnings.push(`There are settings for ${quoted(id)}, and no such model.`);
  warnings.push(...placementWarnings(placements, (id) => found.has(id)));
  const models = await withSettings(found, settings, async (each, own) => {
    const isRemote = placements.has(each.model.manifest.id);
    const limit = isRemote ? remoteLimit(contextTokensMax) : contextTokensMax;
    return placed(await applySettings(each, own, limit, engine), placements);
  });
  const names = assignNames(
    [...found.values()].map(({ model, suggestedAliases }) => ({
      model,
      setAliases: findSettings(settings, model.manifest.id).aliases ?? [],
      ownAliases: model.manifest.aliases,
      suggestedAliases,
    })),
    warnings,
  );
  const named = new Map([...models].map(([id, model]) => [id, withAliases(model, names)]));
  const listing = { models: named, names, namedVisionModel: visionModel };
  chooseVisionModel(indexByName(named, names), visionModel, warnings);
  return { ...listing, warnings };
}

/** Applies the settings to the models, then to the LoRA adapters, which depend on their bases. */
async function withSettings(
  found: ReadonlyMap<string, FoundModel>,
  settings: SettingsByModel,
  apply: (found: FoundModel, settings: ModelSettings) => Promise<Model>,
): Promise<ReadonlyMap<string, Model>> {
  const bases = new Map<string, Model>();
  for (const [id, each] of found)
    if (each.adapter === null) bases.set(id, await apply(each, findSettings(settings, id)));
  const models = new Map<string, Model>();
  for (const [id, each] of found) {
    const own = findSettings(settings, id);
    const base = bases.get(id);
    if (base !== undefined) models.set(id, base);
    else if (each.adapter !== null)
      models.set(id, await apply(await adaptedModel(each, each.adapter, own, bases), own));
  }
  return models;
}

function findSettings(settings: SettingsByModel, id: string): ModelSettings {
  return Object.hasOwn(settings, id) ? (settings[id] ?? {}) : {};
}

function withAliases(model: Model, names: ModelNames): Model {
  return { ...model, manifest: { ...model.manifest, aliases: names.aliasesOf(model.manifest.id) } };
}

/** Takes the projectors that cannot be used away from their models. */
function withoutProjectors(listing: Listing, problems: ReadonlyMap<string, Rejection>): Listing {
  if (problems.size === 0) return listing;
  const models = [...listing.models].map(([id, model]) => {
    const problem = problems.get(id);
    if (problem?.fingerprint !== model.fingerprint || model.load?.projector === undefined)
      return [id, model] as const;
    return [id, { ...dropProjector(model), projectorProblem: problem.reason }] as const;
  });
  return { ...listing, models: new Map(models) };
}

/** What the server shows of its models. */
interface Shown {
  readonly visionModel: Model | null;
  readonly unusableVisionModel: Model | null;
  /** In order of id. */
  readonly sorted: readonly Model[];
  find(name: string): Model | null;
}

function withRejections(
  { models, names, namedVisionModel }: Listing,
  rejections: ReadonlyMap<string, Rejection>,
): Shown {
  const checked = new Map(
    [...models].map(([id, model]) => {
      const rejection = rejections.get(id);
      const isRejected = rejection?.fingerprint === model.fingerprint && model.unusable === null;
      return [id, isRejected ? { ...model, unusable: rejection.reason } : model];
    }),
  );
  const byName = indexByName(checked, names);
  const visionModel = chooseVisionModel(byName, namedVisionModel, []);
  const unusableVisionModel =
    visionModel === null ? chooseUnusableVisionModel(byName, namedVisionModel) : null;
  const complete = new Map([...checked].map(([id, model]) => [id, withImageInput(model, visionModel)]));
  return {
    visionModel,
    unusableVisionModel,
    sorted: [...complete.values()].sort((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1)),
    find: (name) => complete.get(names.find(name) ?? "") ?? null,
  };
}

/** Returns the models by id and by each alias that is no pattern. */
function indexByName(models: ReadonlyMap<string, Model>, names: ModelNames): ReadonlyMap<string, Model> {
  const byName = new Map(models);
  for (const [id, model] of models) for (const alias of names.aliasesOf(id)) byName.set(alias, model);
  return byName;
}
