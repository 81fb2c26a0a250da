/** Tries an unverified model with ONNX graphs in a child process (smoke.ts) before the server loads it. */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isGgufKind, type Model } from "../../core/model.js";
import { libraryVersion } from "../trial/library-version.js";
import { createTrials, type TrialDeps } from "../trial/trial.js";

/** The message that the child process receives. */
export interface OnnxTask {
  readonly kind: "image" | "vision";
  readonly folder: string;
  readonly drawing: { readonly steps: number; readonly guidanceScale: number } | null;
}

/** A larger model takes seconds and memory that the server may need; only the structure of its files is checked. */
export const trialBytesMax = 512_000_000;
const filesMax = 1000;

/**
 * Creates the function that tries a model. It skips models whose manifest has the SHA-256 of every file, large models, and models that
 * passed before with the same files and libraries.
 * @returns a function that returns null when the model can be used, else one public clause. It never rejects.
 */
export function createOnnxTrials(deps: TrialDeps): (model: Model) => Promise<string | null> {
  const attempt = createTrials(deps);
  return async ({ manifest, path }) => {
    const { kind, files, drawing, file, bytes } = manifest;
    if (isGgufKind(kind) || files !== undefined || bytes > trialBytesMax) return null;
    const task: OnnxTask = { kind, folder: dirname(path), drawing: drawing ?? null };
    return attempt({ digest: await digestTrial(task), task, file, bytes });
  };
}

/** Returns a digest of everything that a trial's result depends on; null when the folder cannot be read. */
async function digestTrial(task: OnnxTask): Promise<string | null> {
  const names = await readdir(task.folder, { recursive: true }).catch(() => null);
  if (names === null || names.length > filesMax) return null;
  const files = names.sort().map(async (name) => {
    const stats = await stat(join(task.folder, name)).catch(() => null);
    return [name, stats?.size, stats?.mtimeMs];
  });
  const libraries = ["onnxruntime-node", "@huggingface/transformers"].map(libraryVersion);
  const identity = [task, libraries, await Promise.all(files)];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}
