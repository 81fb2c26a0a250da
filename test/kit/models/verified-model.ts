import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelBytes, type ModelSpec } from "./gguf-writer.js";

/** The manifest of the built-in model, which others differ from in few fields. */
const builtInManifest = new URL("../../../models/hearth-tiny-5m/manifest.json", import.meta.url);

/**
 * Writes a model with random weights and a manifest with its SHA-256 into a models folder. So the server loads it without a trial in a
 * child process, which would take longer than most tests.
 */
export async function writeVerifiedModel(
  folder: string,
  name: string,
  changes: Partial<ModelSpec> = {},
): Promise<void> {
  await writeVerifiedFile(folder, name, modelBytes(changes), {
    contextTokens: changes.contextLength ?? 2048,
  });
}

/** Writes a GGUF file and a manifest with its SHA-256 in the same way. @param fields of the manifest. */
export async function writeVerifiedFile(
  folder: string,
  name: string,
  bytes: Buffer,
  fields: object,
): Promise<void> {
  const manifest = readFileSync(builtInManifest, "utf8");
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "random.gguf"), bytes);
  const changedFields = {
    id: name,
    aliases: [],
    name,
    file: "random.gguf",
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    // What the built-in model has to itself.
    answerTokensMax: undefined,
    longContext: undefined,
    ...fields,
  };
  writeFileSync(
    join(folder, name, "manifest.json"),
    JSON.stringify({ ...(JSON.parse(manifest) as object), ...changedFields }),
  );
}
