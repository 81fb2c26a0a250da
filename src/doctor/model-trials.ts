/** Finds out which models cannot be loaded, before a request does. */
import type { Clock } from "../core/clock.js";
import { silentLogger, type Logger } from "../core/logger.js";
import { isGgufKind, type Model } from "../core/model.js";
import type { GgufTrials } from "../engine/llama/smoke-load.js";
import { trialBytesMax } from "../engine/onnx/trials.js";
import { visionFiles } from "../engine/vision/families.js";
import { checkOnnxModel } from "../models/onnx/check.js";
import type { LoadedRegistry } from "../models/registry.js";
import { verifyWeights } from "../models/verify.js";

/** Returns one public sentence when a model must not be loaded, else null. It never rejects. */
export type ModelCheck = (model: Model) => Promise<string | null>;

/** When the models are checked after the server listens: the first requests go first. */
const startDelayMs = 500;

/**
 * Returns the check of image and vision models: of the files' structure, of their SHA-256 where the manifest has it, and by a trial where
 * it has none.
 */
export function checkOnnx(attempt: ModelCheck): ModelCheck {
  return async (model) =>
    (await checkOnnxModel(model, visionFiles(model.manifest.family))) ??
    (await verifyWeights(model)) ??
    (await attempt(model));
}

/**
 * Checks all models, for a command, and rejects the ones that cannot be loaded. A large GGUF model is not checked: to load it takes
 * seconds, and memory that a server may need.
 */
export async function rejectUnloadableModels(
  registry: LoadedRegistry,
  checks: { readonly onnx: ModelCheck; readonly gguf: GgufTrials },
): Promise<void> {
  await rejectOnnxModels(registry, checks.onnx, silentLogger, () => false);
  for (const model of registry.list()) {
    const { id, kind, bytes } = model.manifest;
    if (!isGgufKind(kind) || model.unusable !== null || bytes > trialBytesMax) continue;
    if (model.remote !== undefined) continue;
    const reason = await checks.gguf.model(model);
    if (reason !== null) registry.reject(id, reason);
    const problem = reason === null ? await checks.gguf.projector(model) : null;
    if (problem !== null) registry.rejectProjector(model, problem);
  }
}

/** Checks image and vision models in the background, soon after the server listens. @returns a function that ends it */
export function startModelChecks(
  registry: LoadedRegistry,
  check: ModelCheck,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => void {
  let closed = false;
  const cancel = clock.after(startDelayMs, () => {
    rejectOnnxModels(registry, check, logger, () => closed).catch((err: unknown) =>
      logger.error({ err }, "the models could not be checked"),
    );
  });
  return () => {
    closed = true;
    cancel();
  };
}

/** Checks one model after the other. Large models are checked for their structure only: to read them takes seconds. */
async function rejectOnnxModels(
  registry: LoadedRegistry,
  check: ModelCheck,
  logger: Logger,
  isClosed: () => boolean,
): Promise<void> {
  for (const model of registry.list()) {
    const { id, kind, bytes, family } = model.manifest;
    if (isGgufKind(kind) || model.unusable !== null) continue;
    const isLarge = bytes > trialBytesMax;
    const reason = isLarge ? await checkOnnxModel(model, visionFiles(family)) : await check(model);
    if (isClosed()) return;
    if (reason === null) continue;
    registry.reject(id, reason);
    logger.error({ model: id, reason }, "a model cannot be loaded");
  }
}
