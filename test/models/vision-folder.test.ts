import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRegistry, type RegistryOptions } from "../../src/models/registry.js";
import { verifyWeights } from "../../src/models/verify.js";
import { modelBytes } from "../kit/models/gguf-writer.js";
import { writeCaptioner } from "../kit/models/vision/captioner.js";
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

describe("a folder of a vision model", () => {
  it("without a manifest is a model with the folder's name", async () => {
    const path = await install("Tiny Captioner");
    const { visionModel, warnings } = await load();
    expect(warnings).toEqual([]);
    expect(visionModel).toMatchObject({ path: join(path, "config.json"), unusable: null });
    expect(visionModel?.manifest).toMatchObject({
      ...{ id: "tiny-captioner", kind: "vision", family: "vision-encoder-decoder" },
      ...{ inputModalities: ["image"], outputModalities: ["text"], sha256: null },
    });
    expect(visionModel?.manifest.bytes).toBeGreaterThan(1000);
    expect(await verifyWeights(visionModel ?? expect.fail())).toBe(null);
  });

  it("is described by its manifest, and every file is verified before it is loaded", async () => {
    const path = await install("a");
    await describeIt(path);
    const { visionModel } = await load();
    expect(visionModel).toMatchObject({ manifest: { id: "seer-1m" }, unusable: null });
    expect(await verifyWeights(visionModel ?? expect.fail())).toBe(null);
    const graph = join(path, "onnx/encoder_model.onnx");
    const bytes = readFileSync(graph);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(graph, bytes);
    expect(await verifyWeights(visionModel ?? expect.fail())).toMatch(
      /encoder_model\.onnx' has the SHA-256 .* it is damaged/,
    );
  });

  it.each([
    ["tokenizer.json", "its file 'tokenizer.json' is missing."],
    ["preprocessor_config.json", "its file 'preprocessor_config.json' is missing."],
    ["onnx/encoder_model.onnx", /its files are [\d,]+ bytes, the manifest says/],
  ])("is listed with the reason if %s is missing", async (name, reason) => {
    const path = await install("a");
    await describeIt(path);
    await rm(join(path, name));
    const registry = await load();
    const { visionModel } = registry;
    expect(visionModel).toBe(null);
    expect(registry.find("seer")?.unusable).toMatch(reason);
  });

  it.each([
    ["another family", { model_type: "clip" }, "it is a 'clip', which this server does not support."],
    ["none", {}, /does not name a model_type/],
  ])("is listed with the reason when its config names %s", async (_case, config, reason) => {
    const path = await install("a");
    await writeFile(join(path, "config.json"), JSON.stringify(config));
    const registry = await load();
    const { visionModel } = registry;
    expect([visionModel, registry.find("a")?.manifest.kind]).toEqual([null, "vision"]);
    expect(registry.find("a")?.unusable).toMatch(reason);
  });

  it("is listed with the reason if it contains no graphs", async () => {
    const path = await install("a");
    for (const name of ["encoder_model", "decoder_model_merged"])
      await rename(join(path, `onnx/${name}.onnx`), join(path, `onnx/${name}.bin`));
    expect((await load()).find("a")?.unusable).toBe("its folder 'onnx' contains no graphs.");
  });
});

describe("the model that describes images", () => {
  it("is the largest usable one or the one that the operator named, and lets chat models accept images", async () => {
    await folder.write("chat.gguf", modelBytes());
    expect((await load()).find("chat")?.manifest.inputModalities).toEqual(["text"]);
    await install("small");
    const large = await install("large");
    await writeFile(join(large, "onnx/decoder_model_merged.onnx_data"), Buffer.alloc(10_000));
    const registry = await load();
    const { visionModel } = registry;
    expect([visionModel?.manifest.id, registry.find("chat")?.manifest.inputModalities]).toEqual([
      "large",
      ["text", "image"],
    ]);
    expect((await load({ visionModel: "small" })).visionModel?.manifest.id).toBe("small");
  });

  it("is absent with a warning if the named model is unusable, and chat models then accept only text", async () => {
    await folder.write("chat.gguf", modelBytes());
    await install("small");
    for (const named of ["gone", "chat"]) {
      const registry = await load({ visionModel: named });
      const { visionModel, warnings } = registry;
      expect([visionModel, registry.find("chat")?.manifest.inputModalities]).toEqual([null, ["text"]]);
      expect(warnings).toEqual([
        `visionModel: '${named}' is no model that can describe images; images are refused.`,
      ]);
    }
  });
});
