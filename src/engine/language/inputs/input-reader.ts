/** Loads of an embedding model what its inputs need, when another server computes: its vocabulary. */
import type { Llama } from "node-llama-cpp";
import type { InputSource } from "../../../core/embeddings/request.js";
import type { Model } from "../../../core/model.js";
import { readInputModel, inputTokens } from "./input-tokens.js";
import { loadingError } from "../load/loading-error.js";

export interface InputReader {
  readonly contextTokens: number;
  tokenizeInputs(source: InputSource, signal: AbortSignal): Promise<readonly Uint32Array[]>;
  /** Returns the tokens of a text, without marks. */
  tokenize(text: string): readonly number[];
  dispose(): Promise<void>;
}

/**
 * Loads the vocabulary of a model file.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadInputReader(llama: Llama, model: Model): Promise<InputReader> {
  const { contextTokens } = model.manifest;
  try {
    const weights = await llama.loadModel({ modelPath: model.path, vocabOnly: true, gpuLayers: 0 });
    const inputModel = readInputModel(weights, contextTokens);
    return {
      contextTokens,
      tokenizeInputs: (source, signal) => inputTokens(inputModel, source, signal),
      tokenize: (text) => inputModel.tokenize(text, false),
      dispose: () => weights.dispose(),
    };
  } catch (thrown) {
    throw loadingError(model, thrown);
  }
}
