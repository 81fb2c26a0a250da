import { describe, expect, it } from "vitest";
import { idFromName, parseManifest } from "../../src/models/manifest.js";

const good = {
  id: "hearth-tiny",
  aliases: ["tiny", "hearth/tiny:latest"],
  kind: "chat",
  name: "Hearth Tiny",
  family: "qwen3",
  version: "1.0.0",
  file: "hearth-tiny.gguf",
  bytes: 3_080_000,
  sha256: "0".repeat(64),
  contextTokens: 2048,
  inputModalities: ["text"],
  outputModalities: ["text"],
  capabilities: { reasoning: true, tools: true, structuredOutputs: true },
  prices: {
    promptTextTokenTicks: 20_000,
    cachedPromptTextTokenTicks: 5000,
    completionTextTokenTicks: 50_000,
  },
  license: "Apache-2.0",
  created: 1_795_000_000,
  madeBy: "Hearth",
};

function reason(change: Record<string, unknown>): string {
  const result = parseManifest(JSON.stringify({ ...good, ...change }));
  return result.ok ? "accepted" : result.reason;
}

describe("a manifest", () => {
  it("with every field is returned unchanged", () => {
    expect(parseManifest(JSON.stringify(good))).toEqual({ ok: true, manifest: good });
    expect(parseManifest(JSON.stringify({ ...good, sha256: null }))).toMatchObject({ ok: true });
  });

  it.each([
    ["not JSON", "{", "not valid JSON"],
    ["a list", "[]", "must be settings by name"],
    ["null", "null", "must be settings by name"],
  ])("that is %s is rejected", (_, text, expected) => {
    const result = parseManifest(text);
    expect(result.ok ? "accepted" : result.reason).toContain(expected);
  });

  it.each(Object.keys(good))("needs no %s, and rejects null there unless it is a digest", (key) => {
    expect(reason({ [key]: undefined })).toBe("accepted");
    expect(reason({ [key]: null })).toContain(key === "sha256" ? "accepted" : `${key}: `);
  });

  it("with a long context and a limit of answers is accepted, and each part of them is checked", () => {
    expect(reason({ longContext: { trainedTokens: 2048, yarnFactor: 4 }, answerTokensMax: 10 })).toBe(
      "accepted",
    );
    expect(reason({ longContext: { trainedTokens: 2048 } })).toContain("longContext.yarnFactor: ");
    expect(reason({ longContext: { trainedTokens: 2048, yarnFactor: 0.5 } })).toContain(
      "longContext.yarnFactor: ",
    );
    expect(reason({ answerTokensMax: 0 })).toContain("answerTokensMax: ");
  });

  it("with an unknown key is rejected with the key's name", () => {
    expect(reason({ colour: "red" })).toContain("colour");
  });

  it.each([
    "../weights.gguf",
    "a/b.gguf",
    "a\\b.gguf",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a\0.gguf",
    "a\n.gguf",
    "C:weights.gguf",
    "CON",
    "nul.gguf",
    "x".repeat(256),
  ])("C3: with the file %j is rejected", (file) => {
    expect(reason({ file })).toMatch(/its manifest\.json is wrong: file: /);
  });

  it("C3: with percent signs in the file name is not decoded", () => {
    expect(parseManifest(JSON.stringify({ ...good, file: "%2e%2e%2fx.gguf" }))).toMatchObject({
      manifest: { file: "%2e%2e%2fx.gguf" },
    });
  });

  it.each(["", "/x", ".x", "a b", "a\nb", "é", "x".repeat(201)])("with the id %j is rejected", (id) => {
    expect(reason({ id })).toContain("id: ");
    expect(reason({ aliases: [id] })).toContain("aliases.0: ");
  });

  it.each([-1, 0.5, 2 ** 53, "1", null])("with the price %j is rejected with the field's name", (price) => {
    const prices = { ...good.prices, completionTextTokenTicks: price };
    expect(reason({ prices })).toContain("prices.completionTextTokenTicks: ");
  });

  it.each([
    ["bytes", 0],
    ["contextTokens", 0],
    ["contextTokens", 1.5],
    ["sha256", "ABC"],
    ["kind", "audio"],
    ["inputModalities", []],
    ["inputModalities", ["smell"]],
    ["created", 1e15],
    ["drawing", { steps: 0, guidanceScale: 1 }],
    ["files", [{ path: "../unet/model.onnx", bytes: 1, sha256: "0".repeat(64) }]],
    ["files", [{ path: "/unet", bytes: 1, sha256: "0".repeat(64) }]],
    ["files", []],
  ])("with %s of %j is rejected with the field's name", (key, value) => {
    expect(reason({ [key]: value })).toContain(key);
  });
});

describe("the id of a file name", () => {
  it.each([
    ["Qwen3-0.6B-Q8_0", "qwen3-0.6b-q8_0"],
    ["My Model (final)", "my-model-final-"],
    ["..hidden", "hidden"],
    ["模型", "unnamed"],
  ])("%s becomes %s", (name, id) => {
    expect(idFromName(name)).toBe(id);
  });
});
