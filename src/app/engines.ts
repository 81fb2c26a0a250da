/** The part of the composition root that builds everything that runs models, over the one memory that they share. */
import type { Config } from "../config.js";
import type { DrawingEngine } from "../core/image-generation.js";
import type { Engine } from "../core/engine.js";
import type { LoadedRegistry } from "../models/registry.js";
import { buildPainter } from "./images.js";
import { buildEngine, buildMemory, buildThreads, type Machine, type Workers } from "./chat-engine.js";
import { buildGrounding, buildVision } from "./captioning.js";

/** Engines that are used instead of what would be built. */
export interface GivenEngines extends Workers {
  readonly engine?: Engine;
  readonly painter?: DrawingEngine;
}

/** Builds it all; nothing is loaded yet. @throws Error when the configuration names a host that is none. */
export function buildRunning(config: Config, machine: Machine, models: LoadedRegistry, given: GivenEngines) {
  const memory = buildMemory(config, machine);
  const engine = given.engine ?? buildEngine(config, memory, machine, given);
  const painter = given.painter ?? buildPainter(config, memory, machine, given);
  const vision = buildVision(config, memory, machine, given);
  const grounding = buildGrounding(config, machine, { vision, seer: models.seer });
  const threads = buildThreads(config, machine, given);
  return { engine, painter, grounding, ...threads, engines: [engine, painter, vision] };
}
