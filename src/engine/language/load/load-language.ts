/** Loads of a model what prompts and answers need, when another server computes: vocabulary, chat template and formats. */
import type { Llama } from "node-llama-cpp";
import type { Model } from "../../../core/model.js";
import { loadingError } from "./loading-error.js";
import { tryTemplate } from "./try-template.js";
import { readLanguage, chooseTemplate, type ModelLanguage } from "../language.js";
import type { OpenRenderer } from "../renderer/renderer.js";

export interface VocabularyLanguage extends ModelLanguage {
  readonly contextTokens: number;
  dispose(): Promise<void>;
}

/**
 * Loads the vocabulary of a model file, and reads its template.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadLanguage(
  llama: Llama,
  model: Model,
  openRenderer: OpenRenderer,
): Promise<VocabularyLanguage> {
  const { id, contextTokens } = model.manifest;
  try {
    const weights = await llama.loadModel({ modelPath: model.path, vocabOnly: true, gpuLayers: 0 });
    const renderer = openRenderer(chooseTemplate(weights, model));
    try {
      const reading = await tryTemplate(weights, model, renderer);
      return {
        ...readLanguage(weights, { modelId: id, contextTokens, reading }),
        contextTokens,
        async dispose() {
          await renderer.close();
          await weights.dispose();
        },
      };
    } catch (thrown) {
      await renderer.close();
      await weights.dispose();
      throw thrown;
    }
  } catch (thrown) {
    throw loadingError(model, thrown);
  }
}
