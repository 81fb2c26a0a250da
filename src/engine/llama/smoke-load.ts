/**
 * Tries an unverified model (one without a SHA-256 in its manifest, or with adapters) in a child process (smoke.ts) before the server
 * loads it.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Adapter, Model } from "../../core/model.js";
import { libraryVersion } from "../trial/library-version.js";
import { createTrials, type TrialDeps } from "../trial/trial.js";
import type { LlamaSettings } from "./protocol.js";

interface SmokeLoadDeps extends TrialDeps {
  readonly settings: LlamaSettings;
}

/** The message that the child process receives. */
export interface SmokeTask {
  readonly model: Model;
  readonly settings: LlamaSettings;
}

/**
 * Creates the function that tries a model. It skips models without adapters whose manifest has a SHA-256, and models that passed before
 * with the same files, library and settings.
 * @returns a function that returns null when the model can be used, else one public sentence. It never rejects.
 */
export function createSmokeLoad(deps: SmokeLoadDeps): (model: Model) => Promise<string | null> {
  const attempt = createTrials(deps);
  return async (model) => {
    const { sha256, file, bytes } = model.manifest;
    if (sha256 !== null && listAdapters(model).length === 0) return null;
    const { settings } = deps;
    const task: SmokeTask = { model, settings };
    return attempt({ digest: await digestTrial(model, settings), task, file, bytes });
  };
}

/** Returns a digest of everything that a trial's result depends on; null when the file cannot be read. */
async function digestTrial(model: Model, settings: LlamaSettings): Promise<string | null> {
  const paths = [model.path, ...listAdapters(model).map(({ path }) => path)];
  const files = await Promise.all(paths.map(readVersion));
  if (files.includes(null)) return null;
  const library = libraryVersion("node-llama-cpp");
  const { slots, kvCacheType, gpuLayers, template, adapters } = model.load ?? {};
  const load = { slots, kvCacheType, gpuLayers, template, adapters };
  const identity = [files, model.manifest.bytes, library, settings, load];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

function listAdapters({ load }: Model): readonly Adapter[] {
  return load?.adapters ?? [];
}

/** Returns what changes with a file; null when it cannot be read. */
async function readVersion(path: string): Promise<readonly unknown[] | null> {
  const stats = await stat(path).catch(() => null);
  return stats === null ? null : [path, stats.size, stats.mtimeMs];
}
