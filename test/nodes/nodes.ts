/** Several servers on one PostgreSQL database, in one process, each with a scripted engine and a clock of its own. */
import type { Script } from "../kit/scripted/engine.js";
import { systemRandom } from "../../src/system/clock.js";
import { newPostgresUrl, openServer } from "../kit/databases/postgres/databases.js";
import { type ScriptedServer, type ScriptedSettings, startServer } from "../kit/server.js";
import { seedKeys } from "../kit/server/six-keys.js";

/** Starts one server for each script. */
export async function startNodes(
  scripts: readonly Script[],
  options: ScriptedSettings = {},
): Promise<readonly ScriptedServer[]> {
  const url = await newPostgresUrl();
  const nodes: ScriptedServer[] = [];
  for (const script of scripts) {
    const database = await openServer(url);
    if (nodes.length === 0) await seedKeys(database);
    nodes.push(await startServer({ engine: script, ...options, database, random: systemRandom }));
  }
  return nodes;
}
