/**
 * Tries an unverified chat model (one without a SHA-256 in its manifest) in a child process (smoke.ts) before the server loads it.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Model } from "../../../core/model.js";
import { libraryVersion } from "../../trial/library-version.js";
import { createTrials, type TrialDeps } from "../../trial/trial.js";
import type { LlamaSettings } from "../protocol.js";

export interface SmokeLoadDeps extends TrialDeps {
  readonly settings: LlamaSettings;
}

/** The message that the child process receives. */
export interface SmokeTask {
  readonly model: Model;
  readonly settings: LlamaSettings;
}

/**
 * Creates the function that tries a model. It skips models whose manifest has a SHA-256, and models that passed before with the same
 * file, library and settings.
 * @returns a function that returns null when the model can be used, else one public sentence. It never rejects.
 */
export function createSmokeLoad(deps: SmokeLoadDeps): (model: Model) => Promise<string | null> {
  const attempt = createTrials(deps);
  return async (model) => {
    const { sha256, file, bytes } = model.manifest;
    if (sha256 !== null) return null;
    const { settings } = deps;
    const task: SmokeTask = { model, settings };
    return attempt({ digest: await digestOf(model, settings), task, file, bytes });
  };
}

/** Returns a digest of everything that a trial's result depends on; null when the file cannot be read. */
async function digestOf(model: Model, settings: LlamaSettings): Promise<string | null> {
  const stats = await stat(model.path).catch(() => null);
  if (stats === null) return null;
  const library = libraryVersion("node-llama-cpp");
  const identity = [model.path, model.manifest.bytes, stats.size, stats.mtimeMs, library, settings];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}
