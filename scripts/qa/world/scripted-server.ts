/**
 * The server with the scripted engine in place of the model, in a separate process: the time of a
 * request is Hearth's own. Everything else is as `hearth start` composes it, including database and ledger.
 * With SCRIPTED=holds no answer ever comes; with SCRIPTED=works it takes as long as a model's; with SCRIPTED=long it has 400 tokens.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createApp } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config/config.js";
import { createScriptedEngine } from "../../../test/kit/scripted/engine.js";
import { workerUrls } from "../../../test/kit/worker-urls.js";

/** The approximate time of the built-in model for eight tokens. */
const workMs = 10;

const answer = ["Once", " upon", " a", " time", " there", " was", " a", " fox."];
const scripts: Readonly<Record<string, () => readonly (string | Promise<unknown>)[]>> = {
  works: () => [delay(workMs), ...answer],
  long: () => Array.from({ length: 50 }, () => answer).flat(),
  holds: () => [new Promise(() => undefined)],
};
const engine = createScriptedEngine(scripts[process.env["SCRIPTED"] ?? ""] ?? (() => answer), {
  contextTokens: 8192,
  slots: 4,
});
const server = await createApp(loadConfig(process.env).config, { ...workerUrls, engine });
const { url } = await server.listen();
process.once("SIGTERM", () => void server.close().then(() => process.exit()));
process.stdout.write(`listening on ${url}\n`);
