/** Finds the server that runs with the same configuration. */
import { readFileSync } from "node:fs";
import { firstKeyFile } from "../../store/data-folder.js";
import type { Config } from "../../config/config.js";
import { quoteWord } from "../command-helpers.js";
import { configuredUrl } from "../../config/configured-url.js";
import type { ChatServer, Fetch } from "./client.js";

/**
 * Returns the server that answers at the configured address; null if none does.
 * @throws Error if a server answers but no API key is known.
 */
export async function findServer(config: Config): Promise<ChatServer | null> {
  const url = configuredUrl(config);
  if (config.port === 0) return null;
  const trusting = await createServerFetch(config);
  if (!(await answers(url, trusting.fetch))) return null;
  return { url, key: knownKey(config), ...trusting };
}

/** Returns the server that answers at the configured address. @throws Error if none does, or no API key is known. */
export async function requireServer(config: Config): Promise<ChatServer> {
  const server = await findServer(config);
  if (server !== null) return server;
  throw new Error(`no server is running at ${configuredUrl(config)}; start one with \`hearth start\``);
}

/** Returns the configured API key or the one that the first start created. @throws Error if there is neither. */
export function knownKey(config: Config): string {
  if (config.apiKey !== null) return config.apiKey;
  try {
    return readFileSync(firstKeyFile(config), "utf8").trim();
  } catch {
    const file = firstKeyFile(config);
    throw new Error(
      `no API key: there is none in ${file}; make one for this program: hearth keys create -q > ${quoteWord(file)}`,
    );
  }
}

/** Returns what sends requests to a server with the configured certificate; nothing if there is none. */
export async function createServerFetch({ tlsCert }: Config) {
  if (tlsCert === null) return {};
  const { fetchTrusting } = await import("./pinned-fetch.js");
  return { fetch: fetchTrusting(tlsCert) };
}

async function answers(url: string, send: Fetch = fetch): Promise<boolean> {
  try {
    return (await send(`${url}/healthz`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}
