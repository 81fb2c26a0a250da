import { join } from "node:path";
import { expect, it } from "vitest";
import { loadRegistry } from "../../src/models/registry.js";
import { writeModel } from "../kit/models/gguf-writer.js";
import type { ArchitectureName } from "../kit/models/gguf-writer/architectures.js";
import { temporaryFolder } from "../kit/folder.js";

it("weights are loaded in their plain layout where a model is more than attention and feed-forward layers", async () => {
  const folder = temporaryFolder();
  const architectures: readonly ArchitectureName[] = ["llama", "qwen3moe", "gemma3", "deepseek2", "lfm2"];
  for (const architecture of architectures)
    await writeModel(join(folder, `${architecture}.gguf`), { architecture, contextLength: 128 });
  const registry = await loadRegistry({ folders: [folder], contextTokensMax: 128 });
  const plain = registry.list().filter(({ needsPlainWeights }) => needsPlainWeights === true);
  expect(registry.list()).toHaveLength(architectures.length);
  expect(plain.map(({ manifest }) => manifest.id).sort()).toEqual(["deepseek2", "lfm2"]);
});
