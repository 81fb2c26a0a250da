/** Loading of models whose tensors the operator places on devices (engine-hooks.c). */
import type { Placement } from "../../core/model.js";
import type { EngineHooks } from "./engine-hooks.js";
import type { NativeLibrary } from "./native-library.js";

const splitModes = { none: 0, layer: 1, row: 2 } as const;

/** The matrices of experts, as llama.cpp names them. */
const experts = String.raw`\.ffn_(up|down|gate|gate_up)_(ch|)exps`;

/**
 * Loads a model with its tensors where they are placed. One model is loaded at a time.
 * @throws Error where this program cannot place tensors
 */
export async function loadPlaced<T>(
  hooks: NativeLibrary<EngineHooks>,
  placement: Placement | undefined,
  load: () => Promise<T>,
): Promise<T> {
  if (placement === undefined) return load();
  if (hooks.type === "absent") throw new Error(`its tensors cannot be placed here: ${hooks.reason}`);
  const { mainGpu = -1, gpuSplit, gpuShares = [] } = placement;
  const splitMode = gpuSplit === undefined ? -1 : splitModes[gpuSplit];
  hooks.exports.setPlacement(listPatterns(placement).join("\n"), mainGpu, splitMode, gpuShares.join(","));
  try {
    return await load();
  } finally {
    hooks.exports.setPlacement();
  }
}

/** Returns the patterns of the tensors that stay in main memory. */
export function listPatterns({ cpuExperts = 0, cpuTensors = [] }: Placement): readonly string[] {
  if (cpuExperts === "all") return [...cpuTensors, experts];
  return [...cpuTensors, ...Array.from({ length: cpuExperts }, (_, layer) => `blk\\.${layer}${experts}`)];
}
