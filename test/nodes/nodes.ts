/** Several servers on one PostgreSQL database, in one process, each with a scripted engine and a clock of its own. */
import type { Script } from "../../src/engine/scripted.js";
import { systemRandom } from "../../src/system.js";
import { newPostgresUrl, openServer } from "../postgres/databases.js";
import { seedKeys, startScriptedApp, type ScriptedApp, type ScriptedAppOptions } from "../scripted-app.js";

/** Starts one server for each script. */
export async function startNodes(
  scripts: readonly Script[],
  options: ScriptedAppOptions = {},
): Promise<readonly ScriptedApp[]> {
  const url = await newPostgresUrl();
  const nodes: ScriptedApp[] = [];
  for (const script of scripts) {
    const database = await openServer(url);
    if (nodes.length === 0) await seedKeys(database);
    nodes.push(await startScriptedApp(script, { ...options, database, random: systemRandom }));
  }
  return nodes;
}
