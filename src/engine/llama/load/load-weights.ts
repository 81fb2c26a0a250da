import { dirname, sep } from "node:path";
import type { Llama, LlamaModel, LlamaModelOptions } from "node-llama-cpp";
import type { LoadSettings, Model } from "../../../core/model.js";
import type { EngineHooks } from "../../native/engine-hooks.js";
import type { NativeLibrary } from "../../native/native-library.js";
import { loadPlaced } from "../../native/placement.js";
import type { LoadPlainly } from "../../native/plain-weights.js";
import { withNativeReason } from "./native-reason.js";

/** What loads weights in other ways than the engine's addon. */
export interface LoadingHelp {
  readonly loadPlainly: LoadPlainly;
  readonly hooks: NativeLibrary<EngineHooks>;
}

/**
 * Loads the weights of a model with llama.cpp. The caller loads one model at a time.
 * @throws Error with the library's own reason, in one line and without paths.
 */
export async function loadWeights(
  llama: Llama,
  { path: modelPath, load = {}, needsPlainWeights = false }: Model,
  { loadPlainly, hooks }: LoadingHelp,
): Promise<LlamaModel> {
  const { placement } = load;
  // The library counts all tensors of a layer when it chooses how many layers fit.
  const isPlaced = placement?.cpuExperts !== undefined || placement?.cpuTensors !== undefined;
  const gpuLayers = load.gpuLayers ?? (isPlaced ? "max" : undefined);
  const loadOnce = (): Promise<LlamaModel> =>
    loadPlaced(hooks, placement, () =>
      llama.loadModel({ modelPath, checkTensors: true, gpuLayers, ...createScaling(load) }),
    );
  try {
    return await withNativeReason(llama, /error loading model: (.+)/g, () =>
      needsPlainWeights ? loadPlainly(loadOnce) : loadOnce(),
    );
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new Error(thrown.message.replaceAll(`${dirname(modelPath)}${sep}`, ""), { cause: thrown });
  }
}

/** The library passes whole numbers on as integers, which llama.cpp does not take for a factor. */
const notWhole = 2 ** -20;

/** Returns the option that scales positions; none if the model is loaded as it was trained. */
function createScaling({ yarn }: LoadSettings): Pick<LlamaModelOptions, "metadataOverrides"> {
  if (yarn === undefined) return {};
  const { architecture, trainedTokens, yarnFactor, contextTokens } = yarn;
  const scaling = {
    // The library prints this on standard output, as all metadata that is text. Without the type, positions are scaled in another way.
    type: "yarn",
    factor: yarnFactor + notWhole,
    original_context_length: trainedTokens,
  };
  return { metadataOverrides: { [architecture]: { context_length: contextTokens, rope: { scaling } } } };
}
