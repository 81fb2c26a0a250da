import type { Llama } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { loadEmbedder } from "../../../src/engine/llama/embed/embedder.js";
import { loadWeights } from "../../../src/engine/llama/load/load-weights.js";
import type { LlamaSettings } from "../../../src/engine/llama/protocol.js";
import { ember } from "../../kit/scripted/ember.js";

/** The layers that the library is asked to compute on the GPU. */
async function layersOf(load: { readonly gpuLayers?: number | "max" } | undefined): Promise<unknown> {
  let options: { readonly gpuLayers?: unknown } = {};
  const llama = { logger: () => undefined, loadModel: (given: object) => Promise.resolve((options = given)) };
  await loadWeights(
    llama as unknown as Llama,
    { ...ember, path: "/model.gguf", load },
    { loadPlainly: (plainly) => plainly(), hooks: { type: "absent", reason: "" } },
  );
  return options.gpuLayers ?? "absent";
}

describe("the weights of a model", () => {
  it("have as many layers on the GPU as its settings say; without them, the library decides", async () => {
    expect(
      await Promise.all([{ gpuLayers: 12 }, { gpuLayers: "max" } as const, {}, undefined].map(layersOf)),
    ).toEqual([12, "max", "absent", "absent"]);
  });

  it.each(["embedding", "rerank"] as const)(
    "of an %s model are loaded plainly where they need it",
    async (kind) => {
      const loaded: string[] = [];
      const loadModel = () => {
        loaded.push("started");
        return Promise.reject(new Error("not a model"));
      };
      const llama = { logger: () => undefined, loadModel } as unknown as Llama;
      const model = { ...ember, manifest: { ...ember.manifest, kind }, needsPlainWeights: true };
      await expect(
        loadEmbedder(llama, model, {} as LlamaSettings, {
          hooks: { type: "absent", reason: "" },
          loadPlainly: (load) => {
            loaded.push("plainly");
            return load();
          },
        }),
      ).rejects.toThrow();
      expect(loaded).toEqual(["plainly", "started"]);
    },
  );
});
