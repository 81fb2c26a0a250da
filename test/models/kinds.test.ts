import { expect, it } from "vitest";
import { loadRegistry } from "../../src/models/registry.js";
import { modelBytes } from "../kit/models/gguf-writer.js";
import { encoderBytes } from "../kit/models/gguf-writer/encoder.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const pooled = (type: number) =>
  modelBytes({ metadata: { "qwen3.pooling_type": { type: "u32", value: type } } });

it.each([
  ["a file without pooling", () => modelBytes(), "chat"],
  ["pooling of type none", () => pooled(0), "chat"],
  ["mean pooling", () => pooled(1), "embedding"],
  ["pooling of the last token", () => pooled(3), "embedding"],
  ["rank pooling", () => pooled(4), "rerank"],
  ["an encoder", () => encoderBytes(), "embedding"],
  ["an encoder with rank pooling", () => encoderBytes({ pooling: 4 }), "rerank"],
])("%s makes a model without a manifest a usable one of its kind", async (_, bytes, kind) => {
  await folder.write("models/one.gguf", bytes());
  const registry = await loadRegistry({ folders: [`${folder.path}/models`], contextTokensMax: 4096 });
  expect(registry.list()).toMatchObject([{ unusable: null, manifest: { kind } }]);
});

it("an encoder that does not say how it pools is unusable, and the reason says so", async () => {
  await folder.write("models/one.gguf", encoderBytes({ pooling: null }));
  const registry = await loadRegistry({ folders: [`${folder.path}/models`], contextTokensMax: 4096 });
  expect(registry.list()[0]?.unusable).toContain("does not say in its pooling_type");
});
