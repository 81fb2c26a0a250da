import type { Config } from "./config.js";

/** Returns the keys that the operator has chosen, the secrets that other servers gave them, and the keys of engines. */
export function listPinnedKeys({
  apiKey,
  managementKey,
  ollamaKey,
  oidcClientSecret,
  engines,
}: Config): readonly string[] {
  const ofEngines = engines.map((engine) => engine.apiKey);
  return [apiKey, managementKey, ollamaKey, oidcClientSecret, ...ofEngines].filter((key) => key !== null);
}
