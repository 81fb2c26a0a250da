/** The part of the composition root that finds the models. */
import { fileURLToPath } from "node:url";
import type { Config } from "../config.js";
import type { Logger } from "../core/logger.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { visionFamilies } from "../engine/vision/families.js";
import { loadRegistry, type LoadedRegistry } from "../models/registry.js";
import { engineBuild } from "../version.js";

/** The built-in models are part of the program, in whatever folder it is started. */
const builtInModels = fileURLToPath(new URL("../../models", import.meta.url));

/** Reads the configured model folder and the built-in models. */
export function openRegistry(config: Config): Promise<LoadedRegistry> {
  const { contextTokensMax, kvCacheType, flashAttention, gpu, threads } = config;
  const engine = JSON.stringify([engineBuild, kvCacheType, flashAttention, gpu, threads]);
  const folders = [config.models, builtInModels];
  return loadRegistry({ folders, contextTokensMax, engine, visionFamilies, visionModel: config.visionModel });
}

export interface LoadedModels {
  readonly models: ModelRegistry;
  /** The model that describes images; null when there is none. */
  readonly visionModel: Model | null;
}

/** Returns the given models, which have no vision model, or opens the registry and logs its warnings. */
export async function loadModels(
  config: Config,
  { logger }: { readonly logger: Logger },
  given: ModelRegistry | undefined,
): Promise<LoadedModels> {
  if (given !== undefined) return { models: given, visionModel: null };
  const models = await openRegistry(config);
  for (const warning of models.warnings) logger.warn({ warning }, "models folder");
  return { models, visionModel: models.visionModel };
}
