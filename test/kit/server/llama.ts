/**
 * The engine of GGUF models that all servers of a process share which leave its settings as they are. To start one takes a second or two:
 * llama.cpp is loaded in a thread, after a child process has tried it.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { inject } from "vitest";
import type { Overrides } from "../../../src/app/app.js";
import { llamaSettings } from "../../../src/app/engines/llama-settings.js";
import { loadConfig, type Config } from "../../../src/config/config.js";
import { silentLogger } from "../../../src/core/logger.js";
import { loadKey, type Model } from "../../../src/core/model.js";
import type { LanguageWorker } from "../../../src/engine/language/language-worker.js";
import type { LlamaEngine } from "../../../src/engine/llama/engine.js";
import type { TextThread } from "../../../src/engine/text/thread.js";
import { noTracing } from "../../../src/core/telemetry/tracing.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import { workerUrls } from "../worker-urls.js";

let shared: Promise<{ readonly llama: LlamaEngine; readonly textThread: TextThread }> | null = null;

/** Returns the engine of this process for a server that could have started the same one; otherwise nothing. */
export async function shareLlama(
  config: Config,
  overrides: Overrides,
): Promise<{ readonly llama?: LlamaEngine; readonly textThread?: TextThread }> {
  const isOwn =
    ["engine", "workerUrl", "onHang"].some((name) => name in overrides) ||
    ("clock" in overrides && config.engines.length === 0) ||
    !isDeepStrictEqual(settingsOfEngine(config), settingsOfEngine(loadConfig({}).config));
  if (isOwn) return {};
  const { llama, textThread } = await (shared ??= start());
  return { llama: { ...llama, close: () => Promise.resolve() }, textThread };
}

/** Everything that an engine is made from, but for folders of what it has learned. */
function settingsOfEngine(config: Config): object {
  const { keepAliveMs, memoryBytesMax } = config;
  return { ...llamaSettings({ ...config, data: "" }), keepAliveMs, memoryBytesMax };
}

async function start() {
  const { buildModelMemory, buildTextEngines, buildTextThread } =
    await import("../../../src/app/engines/engines.js");
  const data = mkdtempSync(join(inject("sharedFolder"), "engine-"));
  const { config } = loadConfig({ HEARTH_DATA: data });
  const system = { clock: systemClock, random: systemRandom, logger: silentLogger, tracing: noTracing };
  const thread = buildTextThread(config, system, workerUrls);
  const memory = buildModelMemory(config, system);
  // A model in this process and the same one on an engine outside are loaded under one name, in different ways.
  const { worker, language } = buildTextThread(config, system, workerUrls);
  return {
    llama: buildTextEngines(config, system, memory, thread, workerUrls).llama,
    textThread: { worker, language: countLoads(language) },
  };
}

/** Lets several servers use one worker for a model that is on engines outside: it is unloaded with the last of them. */
function countLoads(worker: LanguageWorker): LanguageWorker {
  const loads = new Map<string, { count: number; readonly info: ReturnType<LanguageWorker["load"]> }>();
  worker.onLost(() => loads.clear());
  return {
    ...worker,
    load(model: Model) {
      const key = loadKey(model);
      const load = loads.get(key) ?? { count: 0, info: worker.load(model) };
      loads.set(key, load);
      load.count += 1;
      load.info.catch(() => loads.delete(key));
      return load.info;
    },
    async unload(model: Model) {
      const key = loadKey(model);
      const load = loads.get(key);
      if (load === undefined) return;
      load.count -= 1;
      if (load.count > 0) return;
      loads.delete(key);
      await worker.unload(model);
    },
  };
}
