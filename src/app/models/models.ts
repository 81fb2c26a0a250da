/** The part of the composition root that finds the models. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/config.js";
import type { Logger } from "../../core/logger.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { listPatterns } from "../../engine/native/placement.js";
import { visionFamilies } from "../../engine/vision/families.js";
import { readDetails } from "../../models/library/details.js";
import type { ModelFolders } from "../../models/library/remove.js";
import { applyProjectorProblems, ProjectorProblems } from "../../models/projector-problems.js";
import { loadRegistry, type LoadedRegistry } from "../../models/registry.js";
import { SettingSources } from "../../models/admin/setting-sources.js";
import { openModelSettings, type ModelSettingsStore } from "../../models/settings-store.js";
import { modelSettingsFile, vocabulariesFolder } from "../../store/data-folder.js";
import { configuredModels, type ConfiguredModels } from "../../config/configured-models.js";
import { readSignatures, type Signatures, type WatchedFiles } from "../../models/reload.js";
import type { FitOptions, FitReport } from "../../doctor/model-fit.js";
import { contextLimit, llamaSettings } from "../engines/llama-settings.js";
import { listPlacements } from "../engines/remote.js";
import { engineBuild } from "../../system/version.js";

/** The built-in models are part of the program, in whatever folder it is started. */
const builtInModels = fileURLToPath(new URL("../../../models", import.meta.url));

export function modelFolders({ models }: Config): ModelFolders {
  return { own: models, builtIn: builtInModels };
}

/** Opens the settings of models: the ones in the configuration file and the ones in the data folder. */
function openSettings(
  config: Config,
  configured: ConfiguredModels = configuredModels(config),
): ModelSettingsStore {
  return openModelSettings(modelSettingsFile(config), () => configured);
}

/** Reads the configured model folders and the built-in models. */
export function openRegistry(
  config: Config,
  modelSettings: ModelSettingsStore = openSettings(config),
): Promise<LoadedRegistry> {
  const { kvCacheType, flashAttention, gpu, threads } = config;
  const engine = JSON.stringify([engineBuild, kvCacheType, flashAttention, gpu, threads]);
  const folders = [config.models, ...config.modelsFolders, builtInModels];
  const contextTokensMax = contextLimit(config);
  const { visionModel } = config;
  const readSettings = (): ReturnType<ModelSettingsStore["read"]> => modelSettings.read();
  const placements = listPlacements(config);
  return loadRegistry({
    folders,
    contextTokensMax,
    readSettings,
    engine,
    visionFamilies,
    visionModel,
    placements,
    vocabularies: vocabulariesFolder(config),
  });
}

export type LocalModels = Awaited<ReturnType<typeof openLocalModels>>;

/** Reads the models and their settings, for commands that need no server. */
export async function openLocalModels(config: Config) {
  const settings = openSettings(config);
  const models = await openRegistry(config, settings);
  await applyProjectorProblems(nameProblemsFile(config), models);
  return { models, settings, sources: new SettingSources(settings, models) };
}

/** Judges whether a model fits into the memory that it can have now. */
export async function measureLocalFit(config: Config, model: Model, options: FitOptions): Promise<FitReport> {
  const { measureFit } = await import("../../doctor/model-fit.js");
  const patterns = listPatterns(model.load?.placement ?? {}).map((pattern) => new RegExp(pattern));
  return measureFit(config, llamaSettings(config), model, await readDetails(model, patterns), options);
}

export interface LoadedModels {
  readonly models: ModelRegistry;
  /** Returns the model that describes images, which may be unusable; null when there is none. */
  readonly visionModel: () => Model | null;
  readonly rejectProjector: (model: Model, reason: string) => void;
  /** The registry of the configured folders; null where the models are given. */
  readonly registry: LoadedRegistry | null;
  /** The settings of models, which can be changed. */
  readonly modelSettings: ModelSettingsStore;
  readonly watchedFiles: WatchedFiles;
  readonly reloadConfigured: () => string | null;
  /** The signatures of the files on which the models depend, from before they were read. */
  readonly since: Signatures;
}

/**
 * Returns the given models, which have no vision model, or opens the registry; logs its warnings, and each model that cannot be used with
 * the reason.
 */
export async function loadModels(
  config: Config,
  { logger }: { readonly logger: Logger },
  given: ModelRegistry | undefined,
): Promise<LoadedModels> {
  const configured = configuredModels(config);
  const modelSettings = openSettings(config, configured);
  const watchedFiles = listWatchedFiles(config);
  const since = await readSignatures(watchedFiles);
  const settings = { modelSettings, watchedFiles, reloadConfigured: () => configured.reload(), since };
  if (given !== undefined)
    return {
      models: given,
      visionModel: () => null,
      rejectProjector: () => undefined,
      registry: null,
      ...settings,
    };
  const models = await openRegistry(config, modelSettings);
  const problems = new ProjectorProblems(nameProblemsFile(config));
  for (const warning of models.warnings) logger.warn({ warning }, "models folder");
  for (const { manifest, unusable } of models.list())
    if (unusable !== null) logger.warn({ model: manifest.id, reason: unusable }, "a model cannot be used");
  const visionModel = (): Model | null => models.visionModel ?? models.unusableVisionModel;
  const rejectProjector = (model: Model, reason: string): void => {
    models.rejectProjector(model, reason);
    problems.record(model, reason);
  };
  return { models, visionModel, rejectProjector, registry: models, ...settings };
}

function nameProblemsFile({ data }: Config): string {
  return join(data, "projector-problems.json");
}

/** Returns the files on which the models depend. */
function listWatchedFiles(config: Config): WatchedFiles {
  return {
    folders: [config.models, ...config.modelsFolders],
    file: config.file,
    settings: modelSettingsFile(config),
    isShared: config.sharedFolder !== null,
  };
}
