/** Waits until the running server has found a model that was just downloaded, copied or named. */
import { setTimeout } from "node:timers/promises";
import type { ChatServer } from "../server/client.js";

/** The server looks at its folders every two seconds, and waits until two looks see the same. */
const waitMsMax = 8000;
const pollMs = 250;

/**
 * Resolves when the server knows the model, or after some seconds.
 * @param isExpected returns whether the models folder of this machine has the model; asked only when the server does not know it
 */
export async function awaitModel(
  server: ChatServer,
  name: string,
  isExpected: () => Promise<boolean>,
): Promise<void> {
  if ((await isKnown(server, name)) || !(await isExpected())) return;
  for (let waited = 0; waited < waitMsMax; waited += pollMs) {
    await setTimeout(pollMs);
    if (await isKnown(server, name)) return;
  }
}

/** Only a model that is missing is unknown: what else is wrong is reported by the request for an answer. */
async function isKnown({ url, key, fetch: send = fetch }: ChatServer, name: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await send(`${url}/v1/models/${encodeURIComponent(name)}`, { headers });
  await response.arrayBuffer();
  return response.status !== 404;
}
