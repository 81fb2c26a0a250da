/** Loads of an embedding model what its inputs need, when another server computes: its vocabulary. */
import type { Llama } from "node-llama-cpp";
import type { InputSource } from "../../../core/embeddings/request.js";
import type { Model } from "../../../core/model.js";
import { readInputModel, inputTokens } from "./input-tokens.js";
import { loadingError } from "../load/loading-error.js";

export type InputReader = Awaited<ReturnType<typeof loadInputReader>>;

/**
 * Loads the vocabulary of a model file.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadInputReader(llama: Llama, model: Model) {
  const { contextTokens } = model.manifest;
  try {
    const weights = await llama.loadModel({ modelPath: model.path, vocabOnly: true, gpuLayers: 0 });
    const inputModel = readInputModel(weights, contextTokens);
    return {
      contextTokens,
      tokenizeInputs: (source: InputSource, signal: AbortSignal): Promise<readonly Uint32Array[]> =>
        inputTokens(inputModel, source, signal),
      /** Returns the tokens of a text, without marks. */
      tokenize: (text: string): readonly number[] => inputModel.tokenize(text, false),
      dispose: (): Promise<void> => weights.dispose(),
    };
  } catch (thrown) {
    throw loadingError(model, thrown);
  }
}
