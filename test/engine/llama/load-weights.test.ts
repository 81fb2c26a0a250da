import type { Llama } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { loadWeights } from "../../../src/engine/llama/load/load-weights.js";

/** The layers that the library is asked to compute on the GPU. */
async function layersOf(load: { readonly gpuLayers?: number | "max" } | undefined): Promise<unknown> {
  let options: object = {};
  const llama = { logger: () => undefined, loadModel: (given: object) => Promise.resolve((options = given)) };
  await loadWeights(llama as unknown as Llama, { path: "/model.gguf", load });
  return "gpuLayers" in options ? options.gpuLayers : "absent";
}

describe("the weights of a model", () => {
  it("have as many layers on the GPU as its settings say; without them, the library decides", async () => {
    expect(
      await Promise.all([{ gpuLayers: 12 }, { gpuLayers: "max" } as const, {}, undefined].map(layersOf)),
    ).toEqual([12, "max", "absent", "absent"]);
  });
});
