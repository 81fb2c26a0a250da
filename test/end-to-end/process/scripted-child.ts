/**
 * Runs a server with the scripted engine, and eight clients that send requests without end, some of which disconnect early. Prints a line
 * for every event, so that the parent process can kill it at a chosen event.
 */
import type * as app from "../../../src/app/app.js";
import type * as config from "../../../src/config/config.js";
import { createScriptedEngine } from "../../kit/scripted/engine.js";

const built = (file: string): Promise<unknown> =>
  import(new URL(`../../../dist/${file}`, import.meta.url).href);
const { createApp } = (await built("app/app.js")) as typeof app;
const { loadConfig } = (await built("config/config.js")) as typeof config;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const report = (what: string): boolean => process.stdout.write(`${what}\n`);

const engine = createScriptedEngine(
  function* () {
    for (let word = 0; word < 6; word++) {
      report("word");
      yield " word";
      yield turn();
    }
  },
  { contextTokens: 8192, slots: 4 },
);
const { config: settings } = loadConfig(process.env);
const server = await createApp(settings, { engine });
const { url } = await server.listen();
report("listening");

async function client(leaves: boolean): Promise<void> {
  for (;;) {
    const leaving = new AbortController();
    const response = await fetch(`${url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${settings.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "hearth-tiny-5m", prompt: "one two three", max_tokens: 8, stream: true }),
      signal: leaving.signal,
    });
    report(String(response.status));
    const reader = response.body?.getReader();
    while (reader !== undefined && !(await reader.read()).done) {
      report("frame");
      if (!leaves) continue;
      leaving.abort();
      break;
    }
  }
}

await Promise.all(Array.from({ length: 8 }, (_, index) => client(index % 4 === 3)));
