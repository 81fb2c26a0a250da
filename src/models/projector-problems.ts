/** Projectors that the server could not use, in a file of the data folder, so that commands which read files alone can say why. */
import { rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { replaceFileSync } from "../system/replace-file.js";
import type { Model } from "../core/model.js";
import { readRegularFile } from "../system/regular-file.js";
import type { LoadedRegistry } from "./registry.js";

const problemsMax = 1_000;
const problemsBytesMax = 2_000_000;
const problemsSchema = z
  .array(z.object({ model: z.string(), fingerprint: z.string(), reason: z.string() }))
  .max(problemsMax);

/** What one server has found out; it forgets what an earlier one did. */
export class ProjectorProblems {
  readonly #file: string;
  readonly #byModel = new Map<string, z.infer<typeof problemsSchema>[number]>();

  constructor(file: string) {
    this.#file = file;
    rmSync(file, { force: true });
  }

  /** A file that cannot be written is left out: the log has the reason, too. */
  record({ manifest, fingerprint }: Model, reason: string): void {
    this.#byModel.set(manifest.id, { model: manifest.id, fingerprint, reason });
    const next = `${this.#file}.next`;
    try {
      writeFileSync(next, JSON.stringify([...this.#byModel.values()].slice(-problemsMax), null, 1), {
        mode: 0o600,
      });
      replaceFileSync(next, this.#file);
    } catch {
      rmSync(next, { force: true });
    }
  }
}

/** Takes the projectors away that the server could not use, from models that have not changed since. */
export async function applyProjectorProblems(file: string, registry: LoadedRegistry): Promise<void> {
  const content = await readRegularFile(file, problemsBytesMax).catch(() => null);
  const problems = problemsSchema.safeParse(content === null ? [] : parse(content.toString("utf8")));
  for (const { model: id, fingerprint, reason } of problems.data ?? []) {
    const model = registry.find(id);
    if (model?.fingerprint === fingerprint) registry.rejectProjector(model, reason);
  }
}

/** Returns null for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
