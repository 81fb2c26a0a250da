/** The part of the composition root that builds the engines outside of this process. */
import type { Config } from "../../config.js";
import type { EngineSetting } from "../../config-engines.js";
import type { LanguageWorker } from "../../engine/llama/engine.js";
import type { ModelMemory } from "../../engine/model-memory.js";
import { createRemoteEngine, type RemoteEngine } from "../../engine/remote/engine.js";
import { hostOf } from "../../engine/remote/errors.js";
import type { RemoteEngineSettings } from "../../engine/remote/pool.js";
import type { Placements } from "../../models/remote/placement.js";
import type { SystemDeps } from "../chat-engine.js";

/** Returns the engines as messages and their pools need them. */
export function remoteEngines({ engines }: Pick<Config, "engines">): readonly RemoteEngineSettings[] {
  return engines.map((engine) => {
    const { kind, url: urls, apiKey, maxConcurrency, prefixCache } = engine;
    const modelNames = [...new Set(engine.models.map((model) => model.name))];
    return { label: labelOf(engine), kind, urls, modelNames, apiKey, maxConcurrency, prefixCache };
  });
}

/** Returns which models run on them. */
export function placementsOf({ engines }: Pick<Config, "engines">): Placements {
  return new Map(
    engines.flatMap((engine) =>
      engine.models.map(({ id, name }) => [id, { engine: labelOf(engine), modelName: name }] as const),
    ),
  );
}

/** Builds the engine of all models that run in other servers. */
export function buildRemoteEngine(
  config: Config,
  memory: ModelMemory,
  { clock, logger }: SystemDeps,
  language: LanguageWorker,
): RemoteEngine {
  return createRemoteEngine({
    engines: remoteEngines(config),
    language,
    clock,
    memory,
    keepAliveMs: config.keepAliveMs,
    log: (level, message) => logger[level]({ engine: "remote" }, message),
  });
}

function labelOf({ kind, url }: EngineSetting): string {
  return `${kind} at ${url.map(hostOf).join(", ")}`;
}
