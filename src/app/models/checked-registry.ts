/** The part of the composition root that finds out, without a server, which models cannot be loaded. */
import type { Config } from "../../config/config.js";
import { silentLogger } from "../../core/logger.js";
import { isGgufKind, type Model } from "../../core/model.js";
import { trialBytesMax } from "../../engine/onnx/trials.js";
import type { LoadedRegistry } from "../../models/registry.js";
import { buildChatCheck } from "../engines/workers.js";
import { openRegistry } from "./models.js";
import { buildOnnxCheck, rejectUnloadableModels } from "../engines/onnx.js";

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
    if (model.remote !== undefined) continue;
    const reason = await check(model);
    if (reason !== null) registry.reject(id, reason);
  }
}
