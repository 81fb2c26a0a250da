import { describe, expect, it } from "vitest";
import { measureCpuMs } from "../kit/cpu-time.js";
import { closestNames } from "../../src/models/closest-names.js";
import { ember } from "../kit/scripted/ember.js";

function modelsOf(names: readonly (readonly [id: string, ...aliases: string[]])[]) {
  return names.map(([id, ...aliases]) => ({ ...ember, manifest: { ...ember.manifest, id, aliases } }));
}

const models = modelsOf([
  ["hearth-tiny-5m"],
  ["llama-3.2-1b-instruct-q8_0"],
  ["mistral-7b-instruct-v0.3"],
  ["qwen3-4b-q4_k_m", "qwen3"],
  ["qwen3-8b-q4_k_m"],
  ["qwen3-30b-a3b-q4_k_m"],
  ["qwen3-coder-30b-a3b"],
]);

describe("the names that are closest to an unknown one", () => {
  it.each([
    ["hearth-tiny-5n", ["hearth-tiny-5m"]],
    ["HEARTH-TINY", ["hearth-tiny-5m"]],
    ["hearth-tiny:latest", ["hearth-tiny-5m"]],
    ["Qwen/Qwen3-8B-GGUF", ["qwen3-8b-q4_k_m", "qwen3"]],
    ["meta-llama/Llama-3.2-1B-Instruct", ["llama-3.2-1b-instruct-q8_0"]],
    ["qwen-3", ["qwen3"]],
    ["gpt-4o", []],
    ["", []],
  ])("of %s are %j", (name, expected) => {
    expect(closestNames(name, models)).toEqual(expected);
  });

  it("cost a bounded amount of work, whatever the request and the folder contain", async () => {
    const many = modelsOf(Array.from({ length: 10_000 }, (_, nth) => [`${nth}${"a".repeat(200)}`] as const));
    const find = () => expect(closestNames("a".repeat(100_000), many)).toHaveLength(3);
    expect(await measureCpuMs(find)).toBeLessThan(5_000);
  });
});
