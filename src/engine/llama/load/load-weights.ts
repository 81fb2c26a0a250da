import { dirname, sep } from "node:path";
import type { Llama, LlamaModel } from "node-llama-cpp";
import type { Model } from "../../../core/model.js";
import { withNativeReason } from "./native-reason.js";

/**
 * Loads the weights of a model with llama.cpp. The caller loads one model at a time.
 * @throws Error with the library's own reason, in one line and without paths.
 */
export async function loadWeights(
  llama: Llama,
  { path: modelPath, load = {} }: Pick<Model, "path" | "load">,
): Promise<LlamaModel> {
  const { gpuLayers } = load;
  try {
    return await withNativeReason(llama, /error loading model: (.+)/g, () =>
      llama.loadModel({ modelPath, checkTensors: true, ...(gpuLayers === undefined ? {} : { gpuLayers }) }),
    );
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new Error(thrown.message.replaceAll(`${dirname(modelPath)}${sep}`, ""), { cause: thrown });
  }
}
