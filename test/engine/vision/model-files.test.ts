import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listModelFiles } from "../../../src/engine/vision/model-files.js";
import { temporaryFolder } from "../../kit/folder.js";

function folderOf(names: readonly string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "onnx"));
  for (const name of names) writeFileSync(join(folder, "onnx", name), "");
  return folder;
}

describe("the graphs of a published model", () => {
  it("are each loaded in the most precise number type that exists", async () => {
    const { dtype } = await listModelFiles(
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

  it("use all files of external weights", async () => {
    const { externalData } = await listModelFiles(
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
