import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRegistry, type RegistryOptions } from "../../src/models/registry.js";
import { verifyWeights } from "../../src/models/verify.js";
import { modelBytes } from "../gguf-writer.js";
import { writeCaptioner } from "../vision-models/captioner.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const parts = [
  "config.json",
  "generation_config.json",
  "preprocessor_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "onnx/encoder_model.onnx",
  "onnx/decoder_model_merged.onnx",
];

const load = (options: Partial<RegistryOptions> = {}) =>
  loadRegistry({
    folders: [folder.path],
    contextTokensMax: 8192,
    visionFamilies: ["vision-encoder-decoder"],
    ...options,
  });

async function install(name: string): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  writeCaptioner(path);
  return path;
}

/** manifest.json as the training recipe writes it. */
async function describeIt(path: string, change: Record<string, unknown> = {}): Promise<void> {
  const files = parts.map((each) => ({
    path: each,
    bytes: statSync(join(path, each)).size,
    sha256: createHash("sha256")
      .update(readFileSync(join(path, each)))
      .digest("hex"),
  }));
  const manifest = {
    ...{ id: "seer-1m", aliases: ["seer"], kind: "vision", name: "Seer", family: "vision-encoder-decoder" },
    ...{ version: "1.0.0", file: "config.json", sha256: files[0]?.sha256, files, contextTokens: 24 },
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...{ inputModalities: ["image"], outputModalities: ["text"] },
    capabilities: { reasoning: false, tools: false, structuredOutputs: false },
    prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
    ...{ license: "Apache-2.0", created: 1_795_000_000, madeBy: "us" },
    ...change,
  };
  await writeFile(join(path, "manifest.json"), JSON.stringify(manifest));
}

describe("a folder of a model that sees", () => {
  it("is a model by its own name where it has no manifest", async () => {
    const path = await install("Tiny Captioner");
    const { seer, warnings } = await load();
    expect(warnings).toEqual([]);
    expect(seer).toMatchObject({ path: join(path, "config.json"), unusable: null });
    expect(seer?.manifest).toMatchObject({
      ...{ id: "tiny-captioner", kind: "vision", family: "vision-encoder-decoder" },
      ...{ inputModalities: ["image"], outputModalities: ["text"], sha256: null },
    });
    expect(seer?.manifest.bytes).toBeGreaterThan(1000);
    expect(await verifyWeights(seer ?? expect.fail())).toBe(null);
  });

  it("is the model of its manifest, and every file is held against it before it is loaded", async () => {
    const path = await install("a");
    await describeIt(path);
    const { seer } = await load();
    expect(seer).toMatchObject({ manifest: { id: "seer-1m" }, unusable: null });
    expect(await verifyWeights(seer ?? expect.fail())).toBe(null);
    const graph = join(path, "onnx/encoder_model.onnx");
    const bytes = readFileSync(graph);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(graph, bytes);
    expect(await verifyWeights(seer ?? expect.fail())).toMatch(
      /encoder_model\.onnx' has the SHA-256 .* it is damaged/,
    );
  });

  it.each([
    ["tokenizer.json", "its file 'tokenizer.json' is missing."],
    ["preprocessor_config.json", "its file 'preprocessor_config.json' is missing."],
    ["onnx/encoder_model.onnx", /its files are [\d,]+ bytes, the manifest says/],
  ])("is listed with the reason when %s is not there", async (name, reason) => {
    const path = await install("a");
    await describeIt(path);
    await rm(join(path, name));
    const registry = await load();
    const { seer } = registry;
    expect(seer).toBe(null);
    expect(registry.find("seer")?.unusable).toMatch(reason);
  });

  it.each([
    ["another family", { model_type: "clip" }, "it is a 'clip', which this server cannot see with."],
    ["none", {}, /does not say what it is/],
  ])("is listed with the reason when its config names %s", async (_case, config, reason) => {
    const path = await install("a");
    await writeFile(join(path, "config.json"), JSON.stringify(config));
    const registry = await load();
    const { seer } = registry;
    expect([seer, registry.find("a")?.manifest.kind]).toEqual([null, "vision"]);
    expect(registry.find("a")?.unusable).toMatch(reason);
  });

  it("is listed with the reason when it holds no graphs", async () => {
    const path = await install("a");
    for (const name of ["encoder_model", "decoder_model_merged"])
      await rename(join(path, `onnx/${name}.onnx`), join(path, `onnx/${name}.bin`));
    expect((await load()).find("a")?.unusable).toBe("its folder 'onnx' holds no graphs.");
  });
});

describe("the model that describes images", () => {
  it("is the largest that can, or the one that the operator named, and makes chat models take images", async () => {
    await folder.write("chat.gguf", modelBytes());
    expect((await load()).find("chat")?.manifest.inputModalities).toEqual(["text"]);
    await install("small");
    const large = await install("large");
    await writeFile(join(large, "onnx/decoder_model_merged.onnx_data"), Buffer.alloc(10_000));
    const registry = await load();
    const { seer } = registry;
    expect([seer?.manifest.id, registry.find("chat")?.manifest.inputModalities]).toEqual([
      "large",
      ["text", "image"],
    ]);
    expect((await load({ visionModel: "small" })).seer?.manifest.id).toBe("small");
  });

  it("is nobody where the one that was named cannot be it, with a warning, and chat models take text alone", async () => {
    await folder.write("chat.gguf", modelBytes());
    await install("small");
    for (const visionModel of ["gone", "chat"]) {
      const registry = await load({ visionModel });
      const { seer, warnings } = registry;
      expect([seer, registry.find("chat")?.manifest.inputModalities]).toEqual([null, ["text"]]);
      expect(warnings).toEqual([
        `visionModel: '${visionModel}' is no model that can describe images; images are refused.`,
      ]);
    }
  });
});
