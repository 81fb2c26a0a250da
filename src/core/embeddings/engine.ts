/** The port to the engine that runs embedding and rerank models. */
import type { ResidentModel } from "../engine.js";
import type { Model } from "../model.js";
import type { InputSource } from "./request.js";

/** An embedding or rerank model, kept in memory for one run. */
export interface LoadedEmbeddingModel {
  /** Maximum tokens of one input. */
  readonly contextTokens: number;
  /** Number of runs that can use the model concurrently. */
  readonly slots: number;
  /** As in LoadedModel. */
  readonly sharedAs?: string;
  /** Length of its vectors; 1 for a rerank model. */
  readonly dimensions: number;
  /** As in LoadedModel. */
  release(keepAliveMs?: number): void;
}

/**
 * The port to the engine of embedding and rerank models. Implementations: engine/llama (node-llama-cpp in a worker thread) and
 * engine/remote/embed (other servers; embedding models only).
 */
export interface EmbeddingEngine {
  /**
   * Loads a model and keeps it in memory until the returned object is released.
   * @throws HearthError `model_unavailable` with the reason.
   */
  load(model: Model, signal?: AbortSignal): Promise<LoadedEmbeddingModel>;
  /**
   * Returns the tokens of each input or pair as the model reads them, with the marks around a text that the model was trained with.
   * @throws HearthError that names the input: `context_length_exceeded`, `invalid_value` for token ids outside the vocabulary.
   */
  tokenizeInputs(model: Model, source: InputSource, signal: AbortSignal): Promise<readonly Uint32Array[]>;
  /**
   * Evaluates inputs one after the other and pools each as the model file says.
   * @returns the vector of each input, not normalised; of a rerank model one score from 0 to 1 for each pair.
   * @throws the signal's reason, within one input, when it aborts.
   */
  embed(model: Model, inputs: readonly Uint32Array[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
}
