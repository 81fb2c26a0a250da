import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelBytes, type ModelSpec } from "./gguf-writer.js";
import { builtInModel, root } from "./harness.js";

/**
 * Writes a model of random weights into a folder of models, with a manifest that has its SHA-256: so it is not tried in a process
 * of its own before it is loaded, which takes longer than all that most tests ask of it. That the others are, is told elsewhere.
 */
export async function writeVouchedModel(
  folder: string,
  name: string,
  changes: Partial<ModelSpec> = {},
): Promise<void> {
  const bytes = modelBytes(changes);
  const manifest = readFileSync(join(root, "models", builtInModel, "manifest.json"), "utf8");
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "random.gguf"), bytes);
  const own = {
    ...{ id: name, aliases: [], name, file: "random.gguf", bytes: bytes.length },
    sha256: createHash("sha256").update(bytes).digest("hex"),
    contextTokens: changes.contextLength ?? 2048,
  };
  writeFileSync(
    join(folder, name, "manifest.json"),
    JSON.stringify({ ...(JSON.parse(manifest) as object), ...own }),
  );
}
