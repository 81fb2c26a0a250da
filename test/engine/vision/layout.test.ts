import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOf } from "../../../src/engine/vision/layout.js";
import { temporaryFolder } from "../../harness.js";

function folderOf(names: readonly string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "onnx"));
  for (const name of names) writeFileSync(join(folder, "onnx", name), "");
  return folder;
}

describe("the graphs of a published folder", () => {
  it("are each taken in the most exact number type that is there", async () => {
    const { dtype } = await filesOf(
      folderOf([
        "embed_tokens_fp16.onnx",
        "embed_tokens_q4.onnx",
        "vision_encoder.onnx",
        "vision_encoder_quantized.onnx",
        "decoder_model_merged_q4f16.onnx",
        "decoder_model_merged_bnb4.onnx",
        "README.md",
      ]),
    );
    expect(dtype).toEqual({ embed_tokens: "fp16", vision_encoder: "fp32", decoder_model_merged: "q4f16" });
  });

  it("have their weights beside them in as many files as there are", async () => {
    const { externalData } = await filesOf(
      folderOf([
        "decoder_model_merged.onnx",
        "decoder_model_merged.onnx_data",
        "decoder_model_merged.onnx_data_1",
        "embed_tokens_fp16.onnx",
        "embed_tokens_fp16.onnx_data",
        "vision_encoder.onnx",
      ]),
    );
    expect(externalData).toEqual({ "decoder_model_merged.onnx": 2, "embed_tokens_fp16.onnx": 1 });
  });
});
