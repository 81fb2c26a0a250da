/** The server with the default settings that all tests of a process can use, and what it does for other servers. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { App } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config/config.js";
import type { Engine } from "../../../src/core/engine.js";
import { writeNewDatabase } from "../databases/new-database.js";
import { enginesOfRun } from "../doubles/llama-server/of-run.js";
import { workerUrls } from "../worker-urls.js";
import { shareLlama } from "./llama.js";
import { testKey } from "./settings.js";

/** A server in this process that listens. */
export interface StartedServer {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly app: App;
}

let ofProcess: Promise<StartedServer> | null = null;

/** Returns the server with the default settings that serves all tests of this process. It runs until the process ends. */
export function startProcessServer(): Promise<StartedServer> {
  return (ofProcess ??= startOfProcess());
}

async function startOfProcess(): Promise<StartedServer> {
  const data = join(mkdtempSync(join(inject("sharedFolder"), "server-")), "data");
  const settings = { HEARTH_PORT: "0", HEARTH_DATA: data, HEARTH_API_KEY: testKey };
  const { config } = loadConfig({ ...settings, ...(await enginesOfRun({})) });
  await writeNewDatabase(join(data, "hearth.db"));
  const { createApp } = await import("../../../src/app/app.js");
  const app = await createApp(config, { ...workerUrls, ...(await shareLlama(config, {})) });
  return { ...(await app.listen()), data, app };
}

/**
 * Returns the engine of a server for another one with the same models and settings of the engine: starting an engine takes a second.
 * Only the first server closes it.
 */
export function engineOf({ app: { engine } }: Pick<StartedServer, "app">): Engine {
  return {
    load: (model, signal) => engine.load(model, signal),
    prompt: (model, source) => engine.prompt(model, source),
    tokenize: (model, text) => engine.tokenize(model, text),
    generate: (model, job, signal) => engine.generate(model, job, signal),
    residents: () => engine.residents(),
    problem: () => engine.problem(),
    close: () => Promise.resolve(),
  };
}

/**
 * Makes a server run every generation alone and from an empty cache, as `deterministic: true` does for one request, and take the
 * likeliest tokens where a request has no seed. Only then do two requests get equal bytes, and not every dialect has fields for
 * it.
 */
export function makeDeterministic({ app: { engine } }: Pick<StartedServer, "app">): void {
  const generate = engine.generate.bind(engine);
  engine.generate = (model, job, signal) => {
    const sampling = job.sampling.seed === null ? { ...job.sampling, temperature: 0 } : job.sampling;
    return generate(model, { ...job, sampling, deterministic: true }, signal);
  };
}
