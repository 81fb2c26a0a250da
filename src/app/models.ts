/** The part of the composition root that finds the models. */
import { fileURLToPath } from "node:url";
import type { Config } from "../config.js";
import { silentLogger, type Logger } from "../core/logger.js";
import { isGgufKind, type Model, type ModelRegistry } from "../core/model.js";
import { readTemplate } from "../engine/llama/prompt/read-template.js";
import { templateRenderers } from "../engine/template/renderer.js";
import { trialBytesMax } from "../engine/trial/onnx-trials.js";
import { visionFamilies } from "../engine/vision/families.js";
import { readGguf } from "../models/gguf.js";
import { loadRegistry, type LoadedRegistry } from "../models/registry.js";
import { refuseOutsideFiles } from "../models/setting-paths.js";
import { openModelSettings, type ModelSettingsStore } from "../models/settings-store.js";
import { signatureOf } from "../models/folders/watch.js";
import { systemClock } from "../system.js";
import { modelSettingsFile } from "./data-folder.js";
import { configuredModels, watchedFiles, type ConfiguredModels } from "./model-reload.js";
import { buildChatCheck, contextLimit } from "./chat-engine.js";
import { buildOnnxCheck, rejectUnloadableModels } from "./onnx-models.js";
import { engineBuild } from "../version.js";

/** The built-in models are part of the program, in whatever folder it is started. */
export const builtInModels = fileURLToPath(new URL("../../models", import.meta.url));

/** Opens the settings of models: those of the configuration file and those of the data folder. */
export function openSettings(
  config: Config,
  configured: ConfiguredModels = configuredModels(config),
): ModelSettingsStore {
  return openModelSettings(modelSettingsFile(config), () => configured);
}

/** Returns the settings as the management API may change them. */
export function remoteSettings(store: ModelSettingsStore): ModelSettingsStore {
  return {
    ...store,
    update(id, change) {
      refuseOutsideFiles(change);
      store.update(id, change);
    },
  };
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
  return loadRegistry({ folders, contextTokensMax, readSettings, engine, visionFamilies, visionModel });
}

/** Reads the models as `openRegistry` does, and finds out which of them cannot be loaded. */
export async function openCheckedRegistry(config: Config): Promise<LoadedRegistry> {
  const registry = await openRegistry(config);
  const check = buildOnnxCheck(config, { logger: silentLogger }, {}, true);
  await rejectUnloadableModels(registry, check, { logger: silentLogger, isClosed: () => false });
  await rejectGgufModels(registry, buildChatCheck(config, { logger: silentLogger }, {}, true));
  return registry;
}

/** Rejects the GGUF models that cannot be loaded, except large ones: to load them takes seconds, and memory that a server may need. */
async function rejectGgufModels(
  registry: LoadedRegistry,
  check: (model: Model) => Promise<string | null>,
): Promise<void> {
  for (const model of registry.list()) {
    const { id, kind, bytes } = model.manifest;
    if (!isGgufKind(kind) || model.unusable !== null || bytes > trialBytesMax) continue;
    const reason = await check(model);
    if (reason !== null) registry.reject(id, reason);
  }
}

/** What rendering a chat template shows, as `hearth doctor` prints it. */
export interface TemplateReport {
  /** What it needs of an ordinary conversation: names of repairs. */
  readonly repairs: readonly string[];
  /** A call as the model writes it; null for a model without a template of its own. */
  readonly call: string | null;
  /** The marks around the reasoning; null when the model never reasons. */
  readonly reasoning: string | null;
}

const templateKey = "tokenizer.chat_template";

/** Reads the chat template of a GGUF model as a load does, in a process of its own. */
export async function readTemplateOf({ path, manifest, load }: Model): Promise<TemplateReport> {
  const result = manifest.kind === "chat" ? await readGguf(path) : null;
  const header = result?.ok === true ? result.header : null;
  const source = header === null ? null : (load?.template ?? header.metadata.values.get(templateKey));
  // Without a template, Hearth's own is used.
  if (typeof source !== "string") return { repairs: [], call: null, reasoning: null };
  const workerUrl = new URL("../engine/template/worker.js", import.meta.url);
  const open = templateRenderers({ clock: systemClock, workerUrl, log: () => undefined });
  const renderer = open(source);
  try {
    const texts = { bosText: "", eosText: "", endTexts: [] };
    const { repairs, template, reasoning } = await readTemplate(source, renderer, texts);
    const marks = reasoning === null ? null : `${reasoning.open}...${reasoning.close}`;
    return { repairs, call: template.tools.example, reasoning: marks };
  } finally {
    await renderer.close();
  }
}

export interface LoadedModels {
  readonly models: ModelRegistry;
  /** Returns the model that describes images, which may be unusable; null when there is none. */
  readonly visionModel: () => Model | null;
  /** The registry of the configured folders; null where the models are given. */
  readonly registry: LoadedRegistry | null;
  /** The settings of models, which can be changed. */
  readonly modelSettings: ModelSettingsStore;
  readonly configured: ConfiguredModels;
  /** The signature of the files on which the models depend, from before they were read. */
  readonly since: string;
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
  const since = given === undefined ? await signatureOf(watchedFiles(config)) : "";
  const settings = { modelSettings, configured, since };
  if (given !== undefined) return { models: given, visionModel: () => null, registry: null, ...settings };
  const models = await openRegistry(config, modelSettings);
  for (const warning of models.warnings) logger.warn({ warning }, "models folder");
  for (const { manifest, unusable } of models.list())
    if (unusable !== null) logger.warn({ model: manifest.id, reason: unusable }, "a model cannot be used");
  const visionModel = (): Model | null => models.visionModel ?? models.unusableVisionModel;
  return { models, visionModel, registry: models, ...settings };
}
