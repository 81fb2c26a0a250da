import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLlama } from "../kit/engine/llama.js";
import { preflightGguf } from "../../src/models/gguf.js";
import { writeModel } from "../kit/models/gguf-writer.js";
import { useFolder } from "./folder.js";

describe("a written model", () => {
  const folder = useFolder();
  let llama: Llama;
  beforeAll(async () => {
    llama = await loadLlama();
  });

  it.each([
    { architecture: "qwen3", weights: "Q8_0", tiedHead: false },
    { architecture: "llama", weights: "F32", tiedHead: false },
    { architecture: "qwen3", weights: "F16", tiedHead: true },
  ] as const)("passes preflight, loads in llama.cpp and generates: $architecture, $weights", async (spec) => {
    const path = join(folder.path, "model.gguf");
    await writeModel(path, spec);
    expect(await preflightGguf(path)).toMatchObject({ ok: true });
    const model = await llama.loadModel({ modelPath: path });
    const tokens = model.tokenize("hello world é<|im_end|>", true);
    expect(model.detokenize(tokens, true)).toBe("hello world é<|im_end|>");
    expect(model.isEogToken(tokens.at(-1))).toBe(true);
    const context = await model.createContext({ contextSize: 128, threads: 1 });
    const written = [];
    for await (const token of context
      .getSequence()
      .evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
      written.push(token);
      if (written.length === 8) break;
    }
    expect(written).toHaveLength(8);
    await model.dispose();
  });

  it("is identical for the same seed and different for another", async () => {
    const write = async (seed: number) => {
      const path = join(folder.path, `${seed}.gguf`);
      await writeModel(path, { seed });
      return readFile(path);
    };
    const first = await write(1);
    expect((await write(1)).equals(first)).toBe(true);
    expect((await write(2)).equals(first)).toBe(false);
  });
});
