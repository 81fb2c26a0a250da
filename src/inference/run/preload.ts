import type { Engine } from "../../core/engine.js";
import type { ModelRegistry } from "../../core/model.js";
import { hold } from "./abortable.js";
import type { RunDeps } from "./run-deps.js";
import { usableModel } from "./usable-model.js";

/** Loads and unloads models for nobody's run: nothing is recorded or charged. */
export interface Preloader {
  /**
   * Loads a chat model, or keeps the one in memory; a keep-alive time of 0 unloads it as soon as no run uses it, and loads nothing.
   * @param keepAliveMs Infinity: until its memory is needed; absent: as before
   * @returns whether it is to be in memory @throws HearthError as a run does before its first token.
   */
  preload(name: string, keepAliveMs: number | undefined, signal: AbortSignal): Promise<boolean>;
}

interface PreloaderDeps extends Pick<RunDeps, "load"> {
  readonly models: ModelRegistry;
  readonly engine: Pick<Engine, "residents">;
}

export function createPreloader({ models, engine, load }: PreloaderDeps): Preloader {
  return {
    async preload(name, keepAliveMs, signal) {
      const model = usableModel(models, name);
      const isWanted = keepAliveMs !== 0;
      const isThere = engine.residents().some(({ id }) => id === model.manifest.id);
      if (isWanted || isThere) (await hold(load(model, signal), signal)).release(keepAliveMs);
      return isWanted;
    },
  };
}
