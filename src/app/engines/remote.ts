/** The part of the composition root that builds the engines outside of this process. */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../../config/config.js";
import type { ModelMemory } from "../../engine/memory/model-memory.js";
import { createRemoteEngine, type RemoteEngine } from "../../engine/remote/engine.js";
import type { RemoteEngineSettings } from "../../engine/remote/pool.js";
import type { TextThread } from "../../engine/text/thread.js";
import type { TracedDeps } from "../system-deps.js";
import { describeEngine } from "./placements.js";

/** Returns the engines as messages and their pools need them. */
export function remoteEngines({ engines }: Config): readonly RemoteEngineSettings[] {
  return engines.map((engine) => {
    const { kind, url: urls, apiKey, maxConcurrency, prefixCache } = engine;
    const modelNames = [...new Set(engine.models.map((model) => model.name))];
    const [label, sharedAs] = [describeEngine(engine), nameShared(urls)];
    return { label, sharedAs, kind, urls, modelNames, apiKey, maxConcurrency, prefixCache };
  });
}

/** Returns what servers with the same addresses return. An address of this machine alone is another one elsewhere. */
function nameShared(urls: readonly string[]): string {
  const named = urls.map((url) => (isOfThisMachine(url) ? `${hostname()} ${url}` : url)).toSorted();
  return createHash("sha256").update(JSON.stringify(named)).digest("base64url");
}

function isOfThisMachine(url: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

/** Builds the engine of all models that run in other servers. */
export function buildRemoteEngine(
  config: Config,
  memory: ModelMemory,
  { clock, random, logger, tracing }: TracedDeps,
  thread: TextThread,
): RemoteEngine {
  return createRemoteEngine({
    engines: remoteEngines(config),
    ...thread,
    random,
    clock,
    tracing,
    memory,
    keepAliveMs: config.keepAliveMs,
    log: (level, message) => logger[level]({ engine: "remote" }, message),
  });
}
