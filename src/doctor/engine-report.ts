import { checkServer } from "../engine/remote/check.js";
import { describeFailure } from "../engine/remote/errors.js";
import type { RemoteEngineSettings } from "../engine/remote/pool.js";

/** What a server of a remote engine answers now. */
export interface EngineReport {
  /** The engine and the address of the server. */
  readonly name: string;
  readonly ok: boolean;
  /** In plain words. */
  readonly detail: string;
}

/** Asks every server of remote engines. */
export async function engineReports(
  engines: readonly RemoteEngineSettings[],
): Promise<readonly EngineReport[]> {
  return Promise.all(
    engines.flatMap(({ kind, urls, apiKey, modelNames }) =>
      urls.map(async (url) => ({
        name: `engine ${kind} at ${url}`,
        ...(await ask(kind, { url, apiKey }, modelNames)),
      })),
    ),
  );
}

async function ask(...[kind, server, modelNames]: Parameters<typeof checkServer>) {
  try {
    const found = await checkServer(kind, server, modelNames);
    if (found.type === "starting") return { ok: true, detail: "it is loading its model" };
    if (found.type === "refused") return { ok: false, detail: "it refuses the apiKey of its settings" };
    const { slots, contextTokens } = found.properties;
    const parts = [
      "it is ready",
      ...(slots === null ? [] : [`${slots} ${slots === 1 ? "request" : "requests"} at a time`]),
      ...(contextTokens === null ? [] : [`${contextTokens} tokens of context`]),
    ];
    return { ok: true, detail: parts.join(", ") };
  } catch (thrown) {
    return { ok: false, detail: describeFailure(thrown, server.url) };
  }
}
