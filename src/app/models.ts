/** The part of the composition root that knows where models are. */
import { fileURLToPath } from "node:url";
import type { Config } from "../config.js";
import { visionFamilies } from "../engine/vision/families.js";
import { loadRegistry, type LoadedRegistry } from "../models/registry.js";
import { engineBuild } from "../version.js";

/** The built-in models come with the program, wherever it was started. */
const builtInModels = fileURLToPath(new URL("../../models", import.meta.url));

/** The models that a configuration sees. */
export function openRegistry(config: Config): Promise<LoadedRegistry> {
  const { contextTokensMax, kvCacheType, flashAttention, gpu, threads } = config;
  const engine = JSON.stringify([engineBuild, kvCacheType, flashAttention, gpu, threads]);
  const folders = [config.models, builtInModels];
  return loadRegistry({ folders, contextTokensMax, engine, visionFamilies, visionModel: config.visionModel });
}
