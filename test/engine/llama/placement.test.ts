/** Tensors that the operator places on devices. */
import { join } from "node:path";
import { LlamaLogLevel } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { loadWeights } from "../../../src/engine/llama/load/load-weights.js";
import { openEngineHooks } from "../../../src/engine/native/engine-hooks.js";
import { listPatterns } from "../../../src/engine/native/placement.js";
import { loadLlama } from "../../kit/engine/llama.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { ember } from "../../kit/scripted/ember.js";

const hooks = openEngineHooks(join(root, "dist/native"));
const missing = hooks.type === "absent" ? ` (not run: ${hooks.reason})` : "";

describe("the placement of a model's tensors", () => {
  it("names the experts of the first layers, or of all, as llama.cpp does", () => {
    expect(listPatterns({ cpuExperts: 2 })).toEqual([
      String.raw`blk\.0\.ffn_(up|down|gate|gate_up)_(ch|)exps`,
      String.raw`blk\.1\.ffn_(up|down|gate|gate_up)_(ch|)exps`,
    ]);
    expect(listPatterns({ cpuExperts: "all", cpuTensors: ["output"] })).toEqual([
      "output",
      String.raw`\.ffn_(up|down|gate|gate_up)_(ch|)exps`,
    ]);
  });

  it.runIf(missing === "")(`reaches llama.cpp for the model alone that has it${missing}`, async () => {
    const file = join(temporaryFolder(), "experts.gguf");
    await writeModel(file, { architecture: "qwen3moe", layers: 3 });
    const llama = await loadLlama();
    const placed = async (load: object): Promise<readonly string[]> => {
      const lines: string[] = [];
      const { logger, logLevel } = llama;
      llama.logLevel = LlamaLogLevel.debug;
      llama.logger = (_level, message) => lines.push(...message.split("\n"));
      const loadPlainly = <T>(start: () => Promise<T>): Promise<T> => start();
      const weights = await loadWeights(llama, { ...ember, path: file, load }, { loadPlainly, hooks });
      await weights.dispose();
      Object.assign(llama, { logger, logLevel });
      return lines.flatMap((line) => /tensor (\S+) .*buffer type overridden/.exec(line)?.[1] ?? []);
    };
    expect(new Set(await placed({ placement: { cpuExperts: 1, cpuTensors: ["attn_q\\."] } }))).toEqual(
      new Set(
        ["ffn_gate_exps", "ffn_down_exps", "ffn_up_exps"]
          .map((name) => `blk.0.${name}.weight`)
          .concat([0, 1, 2].map((layer) => `blk.${layer}.attn_q.weight`)),
      ),
    );
    expect(await placed({})).toEqual([]);
  });
});
