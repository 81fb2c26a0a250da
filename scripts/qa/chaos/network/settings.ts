/** The settings by which a server reaches what it shares with others. */
import { tinyModel } from "../../world/server.js";
import { scriptedModel } from "../engine.js";
import type { SharedAddresses } from "./server-network.js";

export function settingsFor(shared: SharedAddresses): Readonly<Record<string, string>> {
  const { database, redis, engine, llama } = shared;
  const models = [{ id: scriptedModel, name: scriptedModel, contextTokens: 8192 }];
  const engines: object[] = [{ kind: "openai", url: `${engine}/v1`, models }];
  // Several servers use its slots.
  if (llama !== null)
    engines.push({ kind: "llama-server", url: llama, models: [tinyModel], prefixCache: "off" });
  return {
    HEARTH_DATABASE_URL: database,
    HEARTH_ENGINES: JSON.stringify(engines),
    ...(redis === null ? {} : { HEARTH_REDIS_URL: redis }),
  };
}
