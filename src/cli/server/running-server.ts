/** Finds the server that runs with the same configuration. */
import { readFileSync } from "node:fs";
import { firstKeyFile } from "../../app/data-folder.js";
import type { Config } from "../../config.js";
import type { ChatServer } from "../chat-client.js";

/** Returns the configured address as a base URL. */
export function configuredUrl({ host, port }: Config): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the server that answers at the configured address; null if none does.
 * @throws Error if a server answers but no API key is known.
 */
export async function findServer(config: Config): Promise<ChatServer | null> {
  const url = configuredUrl(config);
  if (config.port === 0 || !(await answers(url))) return null;
  return { url, key: knownKey(config) };
}

/** Returns the configured API key or the one that the first start created. @throws Error if there is neither. */
export function knownKey(config: Config): string {
  if (config.apiKey !== null) return config.apiKey;
  try {
    return readFileSync(firstKeyFile(config), "utf8").trim();
  } catch {
    throw new Error(`no API key: set HEARTH_API_KEY (there is none in ${firstKeyFile(config)})`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}
