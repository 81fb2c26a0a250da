/** What a server over the scripted engine is made of: models without files, six keys, a clock that the test moves, ids that count up. */
import { join } from "node:path";
import { vi } from "vitest";
import type { App } from "../../../src/app/app.js";
import { loadConfig, type Config } from "../../../src/config/config.js";
import type { Logger } from "../../../src/core/logger.js";
import type { Model, ModelRegistry } from "../../../src/core/model.js";
import type { TextRun } from "../../../src/inference/run/text/text-run.js";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { openAgain } from "../databases/new-database.js";
import type { Finished } from "../folder.js";
import { ember } from "../scripted/ember.js";

export const emptyFile: Model = {
  ...ember,
  manifest: { ...ember.manifest, id: "broken-1m", aliases: [], name: "Broken 1M" },
  unusable: "the file is empty.",
};
const slashed: Model = { ...ember, manifest: { ...ember.manifest, id: "org/name:q4", aliases: [] } };
export const scriptedModels: readonly Model[] = [emptyFile, ember, slashed];

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** Returns the defaults of every setting, but for limits that tests can reach. */
export function scriptedConfig(folder: string): Config {
  const environment = { HEARTH_PORT: "0", HEARTH_DATA: folder, HEARTH_MODELS: folder };
  return {
    ...loadConfig(environment).config,
    bodyBytesMax: 64 * 1024,
    runsActiveMax: 64,
    queueDepthMax: 8,
    jobsQueuedMax: 100,
    jobsActiveMax: 4,
    responsesMax: 1_000,
    imagesBytesMax: 1_000_000,
    shutdownGraceMs: 0,
  };
}

/** Returns a logger that adds its lines to an array. */
export function recordingLogger(lines: LogLine[]): Logger {
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return { info: log("info"), warn: log("warn"), error: log("error") };
}

export function registryOf(models: readonly Model[]): ModelRegistry {
  const isNamed = (name: string) => (model: Model) =>
    [model.manifest.id, ...model.manifest.aliases].includes(name);
  return { list: () => models, find: (name) => models.find(isNamed(name)) ?? null };
}

/** Returns a function that resolves with the next run that the server starts. */
export function watchRuns({ generator }: App, finished: Finished): () => Promise<TextRun> {
  const waiting: ((run: TextRun) => void)[] = [];
  const start = generator.start.bind(generator);
  const watched = vi.spyOn(generator, "start").mockImplementation((request, context) => {
    const run = start(request, context);
    for (const resolve of waiting.splice(0)) resolve(run);
    return run;
  });
  finished(() => void watched.mockRestore());
  return () => new Promise((resolve) => waiting.push(resolve));
}

/** Returns the rows of all runs in a data folder, the oldest first. */
export async function readRecords(data: string): Promise<readonly RunRecord[]> {
  const database = await openAgain(join(data, "hearth.db"));
  try {
    return (await createRunStore(database).list(10_000)).toReversed();
  } finally {
    await database.close();
  }
}
