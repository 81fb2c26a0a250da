import { describe, expect, it } from "vitest";
import { chooseFile, chooseModel } from "../../../src/models/hub/choose/choose.js";
import type { HubFile } from "../../../src/models/hub/choose/files.js";
import { bySuitability, findQuant } from "../../../src/models/hub/choose/quants.js";

const files = (...paths: readonly string[]): HubFile[] =>
  paths.map((path) => ({ path, bytes: 1, sha256: "0".repeat(64) }));
const chosen = (paths: readonly string[], quant: string | null = null): readonly string[] =>
  chooseModel("acme/m", files(...paths), quant).files.map(({ path }) => path);

describe("the quantization of a file", () => {
  it.each([
    ["Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"],
    ["qwen2.5-coder-7b-instruct-q4_k_m-00001-of-00002.gguf", "Q4_K_M"],
    ["nomic-embed-text-v1.5.Q8_0.gguf", "Q8_0"],
    ["gemma-3-4b-it-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"],
    ["m-IQ3_XXS.gguf", "IQ3_XXS"],
    ["gemma-3-4b-it-qat-q4_0.gguf", "Q4_0"],
    ["gpt-oss-20b-mxfp4.gguf", "MXFP4"],
    ["m-f16.gguf", "F16"],
    ["m-BF16.gguf", "BF16"],
    ["Q6_K/model-00001-of-00003.gguf", "Q6_K"],
    ["model.gguf", null],
    ["phi-4.gguf", null],
  ])("is read of %s as %s", (path, quant) => {
    expect(findQuant(path)).toBe(quant);
  });

  it("is Q4_K_M where none is named, else one of about as many bits, never a very small one before a good one", () => {
    const order = ["Q2_K", "Q8_0", "Q3_K_M", "Q4_K_S", "Q4_K_M", "Q5_K_M", "IQ1_S", "F16", "UD-Q4_K_XL"];
    expect([...order].sort(bySuitability)).toEqual([
      "Q4_K_M",
      "UD-Q4_K_XL",
      "Q4_K_S",
      "Q5_K_M",
      "Q3_K_M",
      "Q8_0",
      "Q2_K",
      "IQ1_S",
      "F16",
    ]);
  });
});

describe("the files of a model", () => {
  const paths = [
    "README.md",
    "mmproj-m-Q8_0.gguf",
    "m-Q8_0.gguf",
    "m-Q4_K_M.gguf",
    "m-UD-Q4_K_XL.gguf",
    "imatrix.gguf",
  ];

  it("are those of the quantization that is named, in any case, with the projector of the model before them", () => {
    const projector = "mmproj-m-Q8_0.gguf";
    expect(chosen(paths)).toEqual([projector, "m-Q4_K_M.gguf"]);
    expect(chosen(paths, "q8_0")).toEqual([projector, "m-Q8_0.gguf"]);
    expect(chosen(paths, "Q4_K_XL")).toEqual([projector, "m-UD-Q4_K_XL.gguf"]);
    expect(chosen(["mmproj-f16.gguf", "m.gguf"])).toEqual(["mmproj-f16.gguf", "m.gguf"]);
    expect(chosen(["a-qat-q4_0.gguf", "a-q4_1.gguf"], "qat-q4_0")).toEqual(["a-qat-q4_0.gguf"]);
  });

  it("are never those of a draft, unless the repository is named for it", () => {
    const drafts = [
      "m-draft-Q4_K_M.gguf",
      "draft/m-Q4_K_M.gguf",
      "eagle3-m-Q4_K_M.gguf",
      "m-MTP-Q4_K_M.gguf",
    ];
    expect(chosen([...drafts, "m-Q8_0.gguf"])).toEqual(["m-Q8_0.gguf"]);
    const own = ["m-DRAFT-Q4_K_M.gguf", "m-DRAFT-Q8_0.gguf"];
    expect(chooseModel("acme/m-DRAFT-GGUF", files(...own), null).files.map(({ path }) => path)).toEqual(
      own.slice(0, 1),
    );
  });

  it("are all parts of one that is split, the first at last, side by side", () => {
    const split = ["Q8_0/m-Q8_0-00001-of-00002.gguf", "Q8_0/m-Q8_0-00002-of-00002.gguf"];
    const choice = chooseModel("acme/m", files(...split), "Q8_0");
    expect(choice.files.map(({ to }) => to)).toEqual([
      "m-Q8_0-00002-of-00002.gguf",
      "m-Q8_0-00001-of-00002.gguf",
    ]);
    expect(chooseFile("acme/m", files(...split), split[1] ?? "").files.map(({ path }) => path)).toEqual(
      [...split].reverse(),
    );
    expect(() => chooseFile("acme/m", files(split[0] ?? ""), split[0] ?? "")).toThrow("no complete file");
  });

  it("are of one file where a model is there both whole and in parts", () => {
    const both = ["m-q4_k_m-00001-of-00002.gguf", "m-q4_k_m-00002-of-00002.gguf", "m-q4_k_m.gguf"];
    expect(chosen(both)).toEqual(["m-q4_k_m.gguf"]);
  });

  it("are refused where there are several, with their names", () => {
    const two = ["a-Q4_K_M.gguf", "b-Q4_K_M.gguf"];
    for (const quant of [null, "Q4_K_M"])
      expect(() => chosen(two, quant)).toThrow(
        "name the file, such as 'acme/m/a-Q4_K_M.gguf', 'acme/m/b-Q4_K_M.gguf'",
      );
  });

  it("404: says which quantizations are the nearest, and what there is", () => {
    const many = ["m-Q2_K.gguf", "m-Q5_K_M.gguf", "m-Q6_K.gguf", "m-Q8_0.gguf", "m-F16.gguf"];
    expect(() => chosen(many, "Q5_K_S")).toThrow(
      "'acme/m' has no quantization 'Q5_K_S'. The nearest are 'acme/m:Q5_K_M', 'acme/m:Q6_K', 'acme/m:Q8_0'. It has 'F16', 'Q2_K'",
    );
    expect(() => chosen(["model.safetensors"])).toThrow("holds nothing that Hearth can run");
    expect(() => chosen(["model.safetensors"])).toThrow("It has 'model.safetensors'.");
    expect(() => chooseFile("acme/m", files(...many), "m-Q5_K_N.gguf")).toThrow(
      "Did you mean 'm-Q5_K_M.gguf'",
    );
  });

  it("A6: are never those whose paths lead out of the folder", () => {
    expect(() => chosen(["../../m-Q4_K_M.gguf", "a/../../b-Q4_K_M.gguf"])).toThrow("holds nothing");
  });
});

describe("the files of a folder", () => {
  const vision = [
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "preprocessor_config.json",
    "README.md",
  ];

  it("are of transformers.js: the configuration at last, one number type of each graph, with its data", () => {
    const graphs = ["encoder_model", "decoder_model", "decoder_model_merged", "embed_tokens"].flatMap(
      (name) => [`onnx/${name}.onnx`, `onnx/${name}.onnx_data`, `onnx/${name}_fp16.onnx`],
    );
    const all = [...vision, ...graphs, "onnx/encoder_model_quantized.onnx", "model.safetensors"];
    const needed = ["tokenizer.json", "tokenizer_config.json", "preprocessor_config.json", "config.json"];
    const merged = ["onnx/decoder_model_merged.onnx", "onnx/decoder_model_merged.onnx_data"];
    const embed = ["onnx/embed_tokens.onnx", "onnx/embed_tokens.onnx_data"];
    expect([...chosen(all)].sort()).toEqual(
      [...needed, ...merged, ...embed, "onnx/encoder_model_quantized.onnx"].sort(),
    );
    expect(chosen(all).at(-1)).toBe("config.json");
    const half = ["decoder_model_merged", "embed_tokens", "encoder_model"].map(
      (name) => `onnx/${name}_fp16.onnx`,
    );
    expect([...chosen(all, "FP16")].sort()).toEqual([...needed, ...half].sort());
    expect(() => chosen(all, "Q4_K_M")).toThrow("is no number type of graphs");
  });

  it("are of Diffusers: the parts without other weights, and the index at last", () => {
    const parts = ["scheduler/scheduler_config.json", "tokenizer/vocab.json", "tokenizer/merges.txt"];
    const graphs = [
      "text_encoder/model.onnx",
      "unet/model.onnx",
      "unet/model.onnx_data",
      "vae_decoder/model.onnx",
    ];
    const others = ["unet/model.safetensors", "safety_checker/model.onnx", "vae_encoder/model.onnx"];
    expect(chosen(["model_index.json", ...parts, ...graphs, ...others])).toEqual([
      ...parts,
      ...graphs,
      "model_index.json",
    ]);
  });

  it("are refused where one that is required is missing", () => {
    expect(() => chosen(["config.json", "onnx/model.onnx"])).toThrow("it has no file 'tokenizer.json'");
    expect(() => chosen(["model_index.json", "unet/model.onnx"])).toThrow(
      "it has no file 'scheduler/scheduler_config.json'",
    );
  });
});
