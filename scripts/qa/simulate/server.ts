/** One process of the simulated server: what `createApp` builds, over the simulated clock, disk, chance and engine. */
import { createApp, type App } from "../../../src/app/app.js";
import type { Config } from "../../../src/config/config.js";
import type { Logger } from "../../../src/core/logger.js";
import type { HostedTokenizer } from "../../../src/core/tokenizer.js";
import type { Schemas } from "../../../src/core/schemas.js";
import { noCaptioning } from "../../../test/kit/scripted/no-captioning.js";
import { createScriptedImageEngine } from "../../../test/kit/scripted/image-engine.js";
import { simulatedRandom, type Chance } from "../figures/chance.js";
import type { SimulatedDisk } from "./disk.js";
import { createSimulatedEngine, type SimulatedEngine, type SimulatedEngineOptions } from "./engine.js";
import type { SimulatedFiles } from "./files.js";
import { createProcessClock, type ProcessClock, type SimulatedTime } from "./time.js";
import { limits, simulatedModel } from "./world.js";

export interface SimulatedServer {
  readonly app: App;
  readonly clock: ProcessClock;
  readonly engine: SimulatedEngine;
}

export interface SimulatedOptions extends Pick<SimulatedEngineOptions, "produced" | "started" | "served"> {
  readonly config: Config;
  readonly time: SimulatedTime;
  readonly disk: SimulatedDisk;
  readonly files: SimulatedFiles;
  readonly chance: Chance;
  readonly logger: Logger;
}

/** Starts a process. @throws Error when it cannot start, which a fault of the disk may cause. */
export async function startSimulated(options: SimulatedOptions): Promise<SimulatedServer> {
  const { config, time, disk, files, chance, logger } = options;
  const clock = createProcessClock(time);
  const { slots, contextTokens } = limits;
  const engine = createSimulatedEngine({ ...options, clock, slots, contextTokens });
  const app = await createApp(config, {
    clock,
    engine,
    logger,
    random: simulatedRandom(chance, () => time.now),
    database: await disk.open(),
    fileContents: files.open(),
    // The system answers after a time that is not simulated.
    diskSpace: (folder) => Promise.resolve({ folder, freeBytes: 1, totalBytes: 1 }),
    registry: {
      list: () => [simulatedModel],
      find: (name) => (name === simulatedModel.manifest.id ? simulatedModel : null),
    },
    imageEngine: createScriptedImageEngine(),
    captioning: noCaptioning,
    schemas: noSchemas,
    hostedTokenizer: wordCounter,
  });
  try {
    await app.listen();
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
  return { app, clock, engine };
}

/** Real schemas are compiled in a thread, whose time is not simulated; no simulated request has one. */
const noSchema = () => Promise.reject(new Error("simulated requests have no schemas"));
const noSchemas: Schemas = {
  compile: noSchema,
  readGrammar: noSchema,
  close: () => Promise.resolve(),
};

/** Estimates prompts without a thread. */
const wordCounter: HostedTokenizer = {
  knows: () => false,
  tokenize: () => Promise.resolve([]),
  count: (text) => Promise.resolve(text.split(/\s+/).length),
  close: () => Promise.resolve(),
};
