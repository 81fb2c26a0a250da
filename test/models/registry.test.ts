import { createHash } from "node:crypto";
import { mkdir, rename, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Model } from "../../src/core/model.js";
import { loadRegistry, type LoadedRegistry } from "../../src/models/registry.js";
import { modelBytes } from "../kit/models/gguf-writer.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const weights = modelBytes();
const contextTokensMax = 8192;

const load = (...folders: string[]): Promise<LoadedRegistry> =>
  loadRegistry({ folders: folders.map((name) => join(folder.path, name)), contextTokensMax });

/** Writes a model with its manifest into a folder. */
async function install(at: string, change: Record<string, unknown> = {}): Promise<void> {
  const manifest = {
    id: "tiny",
    aliases: ["tiny-latest"],
    kind: "chat",
    name: "Tiny",
    family: "qwen3",
    version: "1.0.0",
    file: "tiny.gguf",
    bytes: weights.length,
    sha256: createHash("sha256").update(weights).digest("hex"),
    contextTokens: 2048,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: { reasoning: true, tools: true, structuredOutputs: true },
    prices: { promptTextTokenTicks: 1, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 2 },
    license: "Apache-2.0",
    created: 1_795_000_000,
    madeBy: "us",
    ...change,
  };
  await folder.write(`${at}/manifest.json`, JSON.stringify(manifest));
  await folder.write(`${at}/tiny.gguf`, weights);
}

function only(registry: LoadedRegistry): Model {
  const [model, ...others] = registry.list();
  expect(others).toEqual([]);
  return model ?? expect.fail("no model was found");
}

describe("a model with a manifest", () => {
  it("is found by id and by alias, with the absolute path of its weights", async () => {
    await install("a/tiny");
    const registry = await load("a");
    const model = only(registry);
    expect(model).toMatchObject({ unusable: null, path: join(folder.path, "a/tiny/tiny.gguf") });
    expect(model.manifest).toMatchObject({
      id: "tiny",
      contextTokens: 2048,
      prices: { completionTextTokenTicks: 2 },
    });
    expect(registry.find("tiny")).toBe(model);
    expect(registry.find("tiny-latest")).toBe(model);
    expect(registry.find("TINY")).toBeNull();
    expect(registry.find("constructor")).toBeNull();
    expect(registry.warnings).toEqual([]);
  });

  it("has a fingerprint that changes only with its weights, context and version", async () => {
    await install("a/tiny");
    await install("b/tiny", {
      name: "Other",
      prices: { promptTextTokenTicks: 9, cachedPromptTextTokenTicks: 9, completionTextTokenTicks: 9 },
    });
    await install("c/tiny", { version: "1.0.1" });
    await install("d/tiny", { contextTokens: 1024 });
    await install("e/tiny", { sha256: "1".repeat(64) });
    const prints = await Promise.all(
      ["a", "b", "c", "d", "e"].map(async (name) => only(await load(name)).fingerprint),
    );
    expect(prints[0]).toMatch(/^fp_[0-9a-f]{10}$/);
    expect(prints[1]).toBe(prints[0]);
    expect(new Set(prints).size).toBe(4);
  });

  it.each([
    [
      "C3: weights shorter than it says",
      { bytes: 3_080_000 },
      /^'tiny\.gguf' is 1\d\d,\d{3} bytes, the manifest says 3,080,000: the file is truncated\.$/,
    ],
    [
      "C3: weights longer than it says",
      { bytes: 5 },
      /the manifest says 5: the file is not the one it describes\.$/,
    ],
    ["missing weights", { file: "other.gguf" }, /^its file 'other\.gguf' is missing\.$/],
    ["a broken field", { prices: {} }, /^its manifest\.json is wrong: prices\.promptTextTokenTicks: /],
    ["C3: a path out of its folder", { file: "../tiny.gguf" }, /^its manifest\.json is wrong: file: /],
  ])("with %s is listed with the reason", async (_, change, expected) => {
    await install("a/tiny", change);
    const registry = await load("a");
    expect(only(registry).unusable).toMatch(expected);
    expect(registry.find("tiny")?.unusable).not.toContain(folder.path);
  });

  it("C3: zeroed weights of the right size are listed with the reason", async () => {
    await install("a/tiny");
    await folder.write("a/tiny/tiny.gguf", Buffer.alloc(weights.length));
    expect(only(await load("a")).unusable).toBe(
      "its file 'tiny.gguf' is refused: it does not begin with 'GGUF'.",
    );
  });

  it("is listed under its folder's name if its JSON is malformed", async () => {
    await folder.write("a/Some Model/manifest.json", "{ oops");
    expect(only(await load("a"))).toMatchObject({
      manifest: { id: "some-model" },
      unusable: "its manifest.json is not valid JSON.",
    });
  });

  it("is not read if it is too large for a manifest", async () => {
    await folder.write("a/tiny/manifest.json", `{"id":"${"x".repeat(70_000)}"}`);
    expect(only(await load("a")).unusable).toContain("larger than 64 KiB");
  });
});

describe("a bare GGUF", () => {
  it("is described by its header", async () => {
    const changes = { "general.license": { type: "string", value: "mit" } } as const;
    const file = await folder.write(
      "a/Tiny-Model.Q8_0.gguf",
      modelBytes({ contextLength: 1024, metadata: changes }),
    );
    await utimes(file, 1_700_000_000, 1_700_000_000);
    const registry = await load("a");
    expect(only(registry)).toMatchObject({
      unusable: null,
      manifest: {
        id: "tiny-model.q8_0",
        aliases: ["Tiny-Model.Q8_0"],
        name: "Tiny Random",
        family: "qwen3",
        contextTokens: 1024,
        sha256: null,
        capabilities: { reasoning: true, tools: false },
        prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
        license: "mit",
        created: 1_700_000_000,
      },
    });
    expect(registry.find("Tiny-Model.Q8_0")?.manifest.id).toBe("tiny-model.q8_0");
  });

  it("has its context reduced to the limit", async () => {
    await folder.write("a/long.gguf", modelBytes({ contextLength: 131_072 }));
    expect(only(await load("a")).manifest.contextTokens).toBe(contextTokensMax);
  });

  it("has the context that its cost leads to, and names the one it was trained with", async () => {
    await folder.write("a/long.gguf", modelBytes({ contextLength: 131_072 }));
    const registry = await loadRegistry({
      folders: [join(folder.path, "a")],
      contextTokensMax: ({ trainedTokens, kvBytesPerToken }) => trainedTokens / 2 + kvBytesPerToken,
    });
    // Two layers with one head of 32 keys and values each, in 16 bits.
    const contextTokens = 65_536 + 256;
    expect(registry.find("long")).toMatchObject({ trainedTokens: 131_072, manifest: { contextTokens } });
  });

  it("counts the layers that have a cache", async () => {
    await folder.write("a/hybrid.gguf", modelBytes({ architecture: "lfm2", layers: 4 }));
    expect(only(await load("a")).kvBytesPerToken).toBe(256);
  });

  it("is found one folder deeper, and through a symbolic link", async () => {
    await folder.write("elsewhere/blob", weights);
    await mkdir(join(folder.path, "a/deeper"), { recursive: true });
    await symlink(join(folder.path, "elsewhere/blob"), join(folder.path, "a/deeper/linked.gguf"));
    await folder.write("a/deeper/still/further/not-found.gguf", weights);
    expect(only(await load("a"))).toMatchObject({ unusable: null, manifest: { id: "linked" } });
  });

  it("E16: has no control characters in its fields", async () => {
    await folder.write("a/x.gguf", modelBytes({ name: "Evil\u001b[31m\r\nname" }));
    expect(only(await load("a")).manifest.name).toBe("Evil [31m name");
  });

  it("C1: that is damaged is listed with the reason, and other models are still found", async () => {
    await folder.write("a/bad.gguf", weights.subarray(0, 50_000));
    await folder.write("a/good.gguf", weights);
    const registry = await load("a");
    expect(registry.list().map((model) => model.manifest.id)).toEqual(["bad", "good"]);
    expect(registry.find("bad")?.unusable).toMatch(
      /^its file 'bad\.gguf' is refused: tensor '.+' ends at .* truncated\.$/,
    );
    expect(registry.find("good")?.unusable).toBeNull();
  });
});

describe("a model in parts", () => {
  const part = (index: number, count: number, ofCount = count) =>
    modelBytes({
      metadata: {
        "split.no": { type: "u16", value: index - 1 },
        "split.count": { type: "u16", value: ofCount },
      },
    });

  it("is one model, as large as its parts together", async () => {
    const first = await folder.write("a/big-00001-of-00002.gguf", part(1, 2));
    await folder.write("a/big-00002-of-00002.gguf", part(2, 2));
    const model = only(await load("a"));
    expect(model).toMatchObject({
      unusable: null,
      path: first,
      manifest: { id: "big", bytes: part(1, 2).length * 2 },
    });
  });

  it("is listed with the reason if one part is missing, damaged or of another model", async () => {
    await folder.write("a/big-00001-of-00002.gguf", part(1, 2));
    expect(only(await load("a")).unusable).toBe("its file 'big-00002-of-00002.gguf' is missing.");
    await folder.write("a/big-00002-of-00002.gguf", weights.subarray(0, 1000));
    expect(only(await load("a")).unusable).toMatch(/^its file 'big-00002-of-00002\.gguf' is refused: /);
    await folder.write("a/big-00002-of-00002.gguf", part(2, 2));
    await folder.write("a/big-00001-of-00002.gguf", part(1, 3));
    expect(only(await load("a")).unusable).toContain("is one of 3 parts, by its name one of 2");
  });

  it("is listed as one of several parts if a part has the name of a single file", async () => {
    await folder.write("a/renamed.gguf", part(1, 2));
    expect(only(await load("a")).unusable).toContain("is one of 2 parts, by its name one of 1");
  });
});

describe("several folders", () => {
  it("keep the first of two models with the same id, with a warning", async () => {
    await install("a/tiny", { name: "First" });
    await install("b/tiny", { name: "Second" });
    const registry = await load("a", "b");
    expect(only(registry).manifest.name).toBe("First");
    expect(registry.warnings).toEqual([
      "Two models are called 'tiny'; 'a/tiny/tiny.gguf' is used, 'b/tiny/tiny.gguf' was left out.",
    ]);
  });

  it("with one name are told apart by their order where the same path in both has a model of one id", async () => {
    await install("a/models/tiny", { name: "First" });
    await install("b/models/tiny", { name: "Second" });
    const registry = await load("a/models", "b/models");
    expect(only(registry).manifest.name).toBe("First");
    expect(registry.warnings).toEqual([
      "Two folders of models have a model 'tiny', both at 'models/tiny/tiny.gguf'; the one in the earlier folder is used.",
    ]);
  });

  it("warn by the paths of two files with one name in one folder", async () => {
    await install("a/one", { id: "same" });
    await install("a/two", { id: "same" });
    expect((await load("a")).warnings).toEqual([
      "Two models are called 'same'; 'one/tiny.gguf' is used, 'two/tiny.gguf' was left out.",
    ]);
  });

  it("assign an alias to the first model that claims it, and never in place of an id", async () => {
    await install("a/x", { id: "x", aliases: ["shared", "y"] });
    await install("b/y", { id: "y", aliases: ["shared"] });
    const registry = await load("a", "b");
    expect(registry.find("shared")?.manifest.id).toBe("x");
    expect(registry.find("y")?.manifest.id).toBe("y");
    expect(registry.warnings).toEqual([
      "The alias 'y' of 'x' belongs to 'y' already.",
      "The alias 'shared' of 'y' belongs to 'x' already.",
    ]);
  });

  it("that are the same folder are read once", async () => {
    await install("a/tiny");
    await symlink(join(folder.path, "a"), join(folder.path, "b"));
    const registry = await load("a", "a/../a", "b");
    expect(only(registry).manifest.id).toBe("tiny");
    expect(registry.warnings).toEqual([]);
  });

  it("count as empty if they do not exist or contain no models", async () => {
    await folder.write("a/README.md", "no model");
    await folder.write("a/.hidden.gguf", weights);
    await folder.write("a/half.gguf.part", weights);
    await mkdir(join(folder.path, "a/folder.gguf"));
    const registry = await load("a", "none");
    expect(registry.list()).toEqual([]);
    expect(registry.warnings).toEqual([]);
  });

  it("are read without one that is a file, with a warning", async () => {
    await folder.write("file", "");
    await install("a/tiny");
    const registry = await load("file", "a");
    expect(only(registry).manifest.id).toBe("tiny");
    expect(registry.warnings[0]).toContain("cannot be read (ENOTDIR)");
  });

  it("list models in order of id, whatever their order on disk", async () => {
    for (const id of ["m", "z", "a"]) await install(`a/${id}-folder`, { id, aliases: [] });
    await rename(join(folder.path, "a/a-folder"), join(folder.path, "a/zz-folder"));
    expect((await load("a")).list().map((model) => model.manifest.id)).toEqual(["a", "m", "z"]);
  });
});
