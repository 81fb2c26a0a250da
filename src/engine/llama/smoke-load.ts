/**
 * Tries unverified files in a child process (smoke.ts) before the server loads them: a model without a SHA-256 in its manifest, or with
 * adapters, and the projector of any model.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { dropProjector, type Adapter, type Model } from "../../core/model.js";
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

/** Each returns null when the file can be used, else one public sentence. None rejects. */
export interface GgufTrials {
  /** Skips models without adapters whose manifest has a SHA-256, and what passed before with the same files, library and settings. */
  readonly model: (model: Model) => Promise<string | null>;
  /** Tries the projector of a model that has one: loads both, and reads a small image or sound. */
  readonly projector: (model: Model) => Promise<string | null>;
}

export function createGgufTrials(deps: SmokeLoadDeps): GgufTrials {
  const { settings } = deps;
  const attempt = createTrials(deps);
  const run = async (model: Model, file: string, bytes: number): Promise<string | null> => {
    const task: SmokeTask = { model, settings };
    return attempt({ digest: await digestTrial(model, settings), task, file, bytes });
  };
  return {
    async model(model) {
      const { sha256, file, bytes } = model.manifest;
      if (sha256 !== null && listAdapters(model).length === 0) return null;
      return run(dropProjector(model), file, bytes);
    },
    async projector(model) {
      const projector = model.load?.projector;
      if (projector === undefined) return null;
      const file = basename(projector.path);
      const reason = await run(model, file, model.manifest.bytes + projector.bytes);
      if (reason === null || reason.startsWith("its projector")) return reason;
      return `its projector ${file} cannot be used: ${reason}`;
    },
  };
}

/** Returns a digest of everything that a trial's result depends on; null when a file cannot be read. */
async function digestTrial(model: Model, settings: LlamaSettings): Promise<string | null> {
  const { slots, kvCacheType, gpuLayers, placement, template, adapters, projector } = model.load ?? {};
  const beside = [...listAdapters(model), ...(projector === undefined ? [] : [projector])];
  const paths = [model.path, ...beside.map(({ path }) => path)];
  const files = await Promise.all(paths.map(readVersion));
  if (files.includes(null)) return null;
  const library = libraryVersion("node-llama-cpp");
  const load = { slots, kvCacheType, gpuLayers, placement, template, adapters };
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
