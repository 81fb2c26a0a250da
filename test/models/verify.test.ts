import { createHash } from "node:crypto";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Model } from "../../src/core/model.js";
import { loadRegistry } from "../../src/models/registry.js";
import { verifyWeights } from "../../src/models/verify.js";
import { modelBytes } from "../kit/models/gguf-writer.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const weights = modelBytes();

/** A model as the registry returns it, with the digest of its manifest. */
async function found(sha256: string | null): Promise<Model> {
  await folder.write("tiny.gguf", weights);
  const registry = await loadRegistry({ folders: [folder.path], contextTokensMax: 1024 });
  const model = registry.find("tiny") ?? expect.fail("no model was found");
  return { ...model, manifest: { ...model.manifest, sha256 } };
}

const digest = createHash("sha256").update(weights).digest("hex");

describe("weights before they are loaded", () => {
  it("pass if their SHA-256 matches the manifest, or the manifest has none", async () => {
    expect(await verifyWeights(await found(digest))).toBeNull();
    expect(await verifyWeights(await found(null))).toBeNull();
  });

  it("C3: with one byte changed are rejected with both digests", async () => {
    const model = await found(digest);
    const damaged = Buffer.from(weights);
    damaged[100_000] = (damaged[100_000] ?? 0) ^ 1;
    await writeFile(model.path, damaged);
    const other = createHash("sha256").update(damaged).digest("hex");
    expect(await verifyWeights(model)).toBe(
      `'tiny.gguf' has the SHA-256 ${other}, the manifest says ${digest}: it is damaged.`,
    );
  });

  it.each([digest, null])("C3: truncated after they were found are rejected (SHA-256 %s)", async (sha256) => {
    const model = await found(sha256);
    await truncate(model.path, 1234);
    expect(await verifyWeights(model)).toMatch(
      /^'tiny\.gguf' is 1,234 bytes, expected 1\d\d,\d{3}: it was changed\.$/,
    );
  });

  it("that no longer exist are rejected without their path", async () => {
    const model = await found(digest);
    await rm(model.path);
    expect(await verifyWeights(model)).toBe("'tiny.gguf' cannot be read.");
  });

  it("in parts are hashed in order, as one stream", async () => {
    const parts = [1, 2].map((part) =>
      modelBytes({ seed: part, metadata: { "split.count": { type: "u16", value: 2 } } }),
    );
    for (const [i, bytes] of parts.entries()) await folder.write(`big-0000${i + 1}-of-00002.gguf`, bytes);
    const registry = await loadRegistry({ folders: [folder.path], contextTokensMax: 1024 });
    const model = registry.find("big") ?? expect.fail("no model was found");
    const sha256 = createHash("sha256").update(Buffer.concat(parts)).digest("hex");
    expect(await verifyWeights({ ...model, manifest: { ...model.manifest, sha256 } })).toBeNull();
    await writeFile(join(folder.path, "big-00002-of-00002.gguf"), parts[0] ?? "");
    expect(await verifyWeights({ ...model, manifest: { ...model.manifest, sha256 } })).toContain(
      "it is damaged.",
    );
  });
});
