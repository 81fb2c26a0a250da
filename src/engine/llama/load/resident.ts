/**
 * A model in memory: its weights, one context with a sequence a slot, its template and its vocabulary. Knows how to load
 * itself from a manifest; what runs in the slots is generation.ts's and the order of work is tick.ts's.
 */
import { LRUCache } from "lru-cache";
import {
  getModuleVersion,
  type Llama,
  type LlamaContextSequence,
  type LlamaGrammar,
  type LlamaModel,
} from "node-llama-cpp";
import { HearthError } from "../../../core/errors.js";
import type { Model } from "../../../core/model.js";
import { makeContext } from "./context.js";
import { readLanguage, type Language } from "../prompt/language.js";
import type { LlamaSettings } from "../protocol.js";

export interface Resident extends Language {
  readonly model: Model;
  readonly weights: LlamaModel;
  readonly contextTokens: number;
  /** Prompt tokens of one tick at the most. */
  readonly chunkTokens: number;
  /** What a saved state of the KV cache depends on: it must never be loaded under another key. */
  readonly stateKey: string;
  /** `cpu`, or the GPU's kind when any layer is there. */
  readonly device: string;
  /** One for each slot, in order of their ids. */
  readonly sequences: readonly LlamaContextSequence[];
  /** Grammars by their text: reading one takes milliseconds. */
  readonly grammars: LRUCache<string, LlamaGrammar>;
  dispose(): Promise<void>;
}

/** Grammars that are kept for the next request with the same schema. */
const grammarsMax = 64;

/**
 * Loads a model and makes its context.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadResident(llama: Llama, model: Model, settings: LlamaSettings): Promise<Resident> {
  try {
    const weights = await llama.loadModel({ modelPath: model.path, checkTensors: true });
    try {
      return await withContext(weights, model, settings);
    } catch (thrown) {
      await weights.dispose();
      throw thrown;
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The model '${model.manifest.id}' cannot be loaded: ${why.replaceAll(model.path, model.manifest.file)}`;
    throw new HearthError("model_unavailable", message, { param: "model", cause: thrown });
  }
}

async function withContext(weights: LlamaModel, model: Model, settings: LlamaSettings): Promise<Resident> {
  const contextTokens = Math.min(
    model.manifest.contextTokens,
    settings.contextTokensMax,
    weights.trainContextSize,
  );
  const { context, sequences, chunkTokens, device } = await makeContext(
    weights,
    { contextTokens, weightsBytes: model.manifest.bytes },
    settings,
  );
  return {
    model,
    weights,
    contextTokens,
    stateKey: [model.fingerprint, settings.kvCacheType, contextTokens, await getModuleVersion()].join(" "),
    chunkTokens,
    device,
    sequences,
    grammars: new LRUCache({ max: grammarsMax }),
    ...readLanguage(weights, contextTokens),
    async dispose() {
      await context.dispose();
      await weights.dispose();
    },
  };
}
