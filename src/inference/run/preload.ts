import type { Engine } from "../../core/engine.js";
import type { ModelRegistry } from "../../core/model.js";
import { hold } from "../abortable.js";
import { tooManyRuns } from "../too-many-runs.js";
import type { RunDeps } from "./run-deps.js";
import { usableModel } from "../usable-model.js";

interface PreloaderDeps extends Pick<RunDeps, "load" | "runsActiveMax"> {
  readonly models: ModelRegistry;
  readonly engine: Pick<Engine, "residents">;
}

export function createPreloader({ models, engine, load, runsActiveMax }: PreloaderDeps) {
  let active = 0;
  return {
    /**
     * Loads a chat model, or keeps the one in memory; a keep-alive time of 0 unloads it as soon as no run uses it, and loads nothing.
     * @param keepAliveMs absent: as before
     * @returns whether it is to be in memory
     * @throws HearthError `overloaded`, or as a run does before its first token.
     */
    async preload(name: string, keepAliveMs: number | undefined, signal: AbortSignal): Promise<boolean> {
      const model = usableModel(models, name);
      const isWanted = keepAliveMs !== 0;
      const isThere = engine.residents().some(({ id }) => id === model.manifest.id);
      if (!isWanted && !isThere) return false;
      if (active >= runsActiveMax) throw tooManyRuns();
      active += 1;
      try {
        (await hold(load(model, signal), signal)).release(keepAliveMs);
      } finally {
        active -= 1;
      }
      return isWanted;
    },
  };
}
