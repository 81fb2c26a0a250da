/** Which models run on engines outside of this process, and where. Commands that only list models need no more of these engines. */
import { createHash } from "node:crypto";
import type { Config } from "../../config/config.js";
import type { EngineSetting } from "../../config/engines.js";
import { readHost } from "../../engine/remote/errors.js";
import type { RemoteEngineSettings } from "../../engine/remote/pool.js";
import { notGuaranteedAtTextLevel } from "../../engine/remote/text/not-guaranteed.js";
import type { Placements } from "../../models/remote/placement.js";

/** Returns which models run on them, and their names there. */
export function listPlacements({ engines }: Config): Placements {
  return new Map(
    engines.flatMap((engine) =>
      engine.models.map(({ id, name, contextTokens }) => {
        const notGuaranteed = engine.kind === "openai" ? notGuaranteedAtTextLevel : [];
        const [label, engineId] = [describe(engine), identify(engine)];
        return [id, { engine: label, engineId, modelName: name, notGuaranteed, contextTokens }] as const;
      }),
    ),
  );
}

/** Returns the engines as messages and their pools need them. */
export function remoteEngines({ engines }: Config): readonly RemoteEngineSettings[] {
  return engines.map((engine) => {
    const { kind, url: urls, apiKey, maxConcurrency, prefixCache } = engine;
    const modelNames = [...new Set(engine.models.map((model) => model.name))];
    return { id: identify(engine), kind, urls, modelNames, apiKey, maxConcurrency, prefixCache };
  });
}

/** Returns the name of an engine in messages. */
function describe({ kind, url }: EngineSetting): string {
  return `${kind} at ${url.map(readHost).join(", ")}`;
}

/** Returns the identity of an engine, which is all of its settings but its models. No message shows it, because of the key. */
function identify({ models: _models, ...settings }: EngineSetting): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
