import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRegistry } from "../../src/models/registry.js";
import { verifyWeights } from "../../src/models/verify.js";
import { publishedModels, writeImageModel, writePricedImageModel } from "../kit/models/image-models.js";
import { useFolder } from "./folder.js";

const folder = useFolder();

async function found(id: string) {
  const models = await loadRegistry({ folders: [folder.path], contextTokensMax: 1024 });
  return models.find(id) ?? expect.fail("no model was found");
}

describe("a folder in the layout of Diffusers", () => {
  it("without a manifest is an image model with the folder's name", async () => {
    writeImageModel(join(folder.path, "LCM_Dreamshaper_v7"), publishedModels.lcm);
    const { manifest, unusable } = await found("LCM_Dreamshaper_v7");
    expect(unusable).toBeNull();
    expect(manifest).toMatchObject({
      ...{ id: "lcm_dreamshaper_v7", kind: "image", inputModalities: ["text"], outputModalities: ["image"] },
      ...{ file: "model_index.json", sha256: null, contextTokens: 77 },
    });
  });

  it("with a manifest has its name, price and image settings", async () => {
    await writePricedImageModel(folder.path, "painter-1m", 700);
    const { manifest, unusable } = await found("painter-1m-alias");
    expect(unusable).toBeNull();
    expect(manifest.prices.imageTicks).toBe(700);
    expect(manifest.drawing).toEqual({ steps: 3, guidanceScale: 4 });
  });

  it("C3: is unusable if the size of its files differs from the manifest", async () => {
    await writePricedImageModel(folder.path, "painter-1m", 700);
    await writeFile(join(folder.path, "painter-1m/tokenizer/more.json"), "{}");
    expect((await found("painter-1m")).unusable).toMatch(
      /^its files are [\d,]+ bytes, the manifest says [\d,]+\.$/,
    );
  });

  it("C3: is rejected before it is loaded if a file differs from the manifest, with the file's name", async () => {
    await writePricedImageModel(folder.path, "painter-1m", 700);
    const model = await found("painter-1m");
    const path = "unet/model.onnx";
    const file = join(folder.path, "painter-1m", path);
    const content = await readFile(file);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const listed = {
      ...model,
      manifest: { ...model.manifest, files: [{ path, bytes: content.length, sha256 }] },
    };
    expect(await verifyWeights(listed)).toBeNull();
    content[100] = (content[100] ?? 0) ^ 1;
    await writeFile(file, content);
    expect(await verifyWeights(listed)).toMatch(/^'unet\/model\.onnx' has the SHA-256 .* it is damaged\.$/);
    await writeFile(file, "short");
    expect(await verifyWeights(listed)).toMatch(
      /^'unet\/model\.onnx' is 5 bytes, expected [\d,]+: it was changed\.$/,
    );
  });

  it.each([
    ["that is not JSON", "{", "its model_index.json does not name a pipeline."],
    ["without a class name", "{}", "its model_index.json does not name a pipeline."],
    [
      "that is too large",
      " ".repeat(70_000),
      "its model_index.json cannot be read, or is larger than 64 KiB.",
    ],
  ])("with an index %s is listed with the reason", async (_, text, reason) => {
    writeImageModel(join(folder.path, "painter"), publishedModels.turbo);
    await writeFile(join(folder.path, "painter/model_index.json"), text);
    expect((await found("painter")).unusable).toBe(reason);
  });
});
