/** The part of the composition root that builds everything that runs models, over the one memory that they share. */
import type { Config } from "../../config/config.js";
import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { ImageEngine } from "../../core/images/image-generation.js";
import type { Engine } from "../../core/engine.js";
import type { Model } from "../../core/model.js";
import type { Schemas } from "../../core/schemas.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";
import type { Captioning } from "../../inference/prompt/captioning.js";
import { byPlacement, embeddingsByPlacement } from "../../engine/text/by-placement.js";
import type { LlamaEngine } from "../../engine/llama/engine.js";
import type { TextThread } from "../../engine/text/thread.js";
import { buildRemoteEngine } from "./remote.js";
import { buildImageEngine } from "./onnx.js";
import { buildOnnxCheck } from "./onnx.js";
import {
  buildChatEngine,
  buildHostedTokenizer,
  buildModelMemory,
  buildPdfReader,
  buildSchemas,
  buildTextThread,
  type WorkerUrls,
} from "./workers.js";
import type { TracedDeps } from "../system-deps.js";
import { buildCaptioning, buildVisionEngine } from "./onnx.js";

/** Engines that are used instead of those that would be built. */
export interface EngineOverrides extends WorkerUrls {
  readonly engine?: Engine;
  /** Runs the GGUF models of this process. */
  readonly llama?: LlamaEngine;
  /** Has the vocabularies and templates of models that run in other servers. */
  readonly textThread?: TextThread;
  readonly embeddingEngine?: EmbeddingEngine;
  readonly imageEngine?: ImageEngine;
  readonly captioning?: Captioning;
  readonly schemas?: Schemas;
  readonly hostedTokenizer?: HostedTokenizer;
}

export type Engines = ReturnType<typeof buildEngines>;

/**
 * Builds the engines; no model is loaded yet.
 * @param visionModel returns the model that describes images; null when there is none.
 * @throws Error when `imageFetch` names an invalid host.
 */
export function buildEngines(
  config: Config,
  system: TracedDeps,
  visionModel: () => Model | null,
  given: EngineOverrides,
) {
  const memory = buildModelMemory(config, system);
  const thread = given.textThread ?? buildTextThread(config, system, given);
  const llama = given.llama ?? buildChatEngine(config, memory, system, { ...given, thread });
  const remote = buildRemoteEngine(config, memory, system, thread);
  const engine = given.engine ?? byPlacement(llama, remote);
  const onnxCheck = buildOnnxCheck(config, system, given);
  const imageEngine = given.imageEngine ?? buildImageEngine(config, memory, system, given, onnxCheck);
  const vision = buildVisionEngine(config, memory, system, given, onnxCheck);
  return {
    engine,
    embeddingEngine: given.embeddingEngine ?? embeddingsByPlacement(llama.embeddings, remote.embeddings),
    imageEngine,
    captioning: given.captioning ?? buildCaptioning(config, system, { vision, visionModel }),
    schemas: given.schemas ?? buildSchemas(config, system, given),
    hostedTokenizer: given.hostedTokenizer ?? buildHostedTokenizer(system, given),
    pdfs: buildPdfReader(system, given),
    onnxCheck,
    memory,
    /** The engines that hold models in memory. */
    all: [...(given.engine === undefined ? [] : [given.engine]), remote, llama, imageEngine, vision],
    remote,
  };
}
