/** The part of the composition root that builds the trials of models: each loads a model in a child process. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import type { Logger } from "../../core/logger.js";
import { checkOnnx, type ModelCheck } from "../../doctor/model-trials.js";
import { createGgufTrials, type GgufTrials } from "../../engine/llama/smoke-load.js";
import { createOnnxTrials } from "../../engine/onnx/trials.js";
import { llamaSettings } from "./llama-settings.js";

interface Trial {
  readonly logger: Logger;
  /** Whether this process stays alive until a trial has ended; absent: it may exit, which ends the trial. */
  readonly isAwaited?: boolean;
}

/** @param textWorkerUrl the compiled thread of text models, beside which the child process has its place */
export function buildGgufTrials(
  config: Config,
  { logger, isAwaited }: Trial,
  textWorkerUrl = new URL("../../engine/text/worker.js", import.meta.url),
): GgufTrials {
  return createGgufTrials({
    entry: new URL("../llama/smoke.js", textWorkerUrl),
    settings: llamaSettings(config),
    passedFile: join(config.data, "loaded-models.json"),
    isAwaited,
    log: (message) => logger.warn({ engine: "llama" }, message),
  });
}

/** @param entry the compiled child process; null: no model is tried */
export function buildOnnxCheck(
  { data }: Config,
  { logger, isAwaited }: Trial,
  entry: URL | null = new URL("../../engine/onnx/smoke.js", import.meta.url),
): ModelCheck {
  if (entry === null) return checkOnnx(() => Promise.resolve(null));
  return checkOnnx(
    createOnnxTrials({
      entry,
      isAwaited,
      passedFile: join(data, "loaded-onnx-models.json"),
      log: (message) => logger.warn({ engine: "onnx" }, message),
    }),
  );
}
