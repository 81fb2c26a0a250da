import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadRegistry, type LoadedRegistry } from "../../src/models/registry.js";
import { modelSettingsSchema, type SettingsByModel } from "../../src/models/settings.js";
import { modelBytes } from "../kit/models/gguf-writer.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const weights = modelBytes();

/** Loads the folder with the aliases of models by id. */
function load(aliases: Readonly<Record<string, readonly string[]>> = {}): Promise<LoadedRegistry> {
  const settings: SettingsByModel = Object.fromEntries(
    Object.entries(aliases).map(([id, names]) => [id, modelSettingsSchema.parse({ aliases: names })]),
  );
  return loadRegistry({
    folders: [folder.path],
    contextTokensMax: 8192,
    readSettings: () => ({ settings, problem: null }),
  });
}

const idOf = (registry: LoadedRegistry, name: string) => registry.find(name)?.manifest.id ?? null;

describe("a name", () => {
  it("leads to the model with that id, then to an alias of the settings, then to one of a manifest", async () => {
    await folder.write("a.gguf", weights);
    await folder.write("b.gguf", weights);
    await folder.write("c/manifest.json", JSON.stringify({ id: "c", aliases: ["shared", "own"] }));
    await folder.write("c/c.gguf", weights);
    const registry = await load({ a: ["b", "shared"] });
    expect(["b", "shared", "own"].map((name) => idOf(registry, name))).toEqual(["b", "a", "c"]);
    expect(registry.warnings).toEqual([
      "The alias 'b' of 'a' belongs to 'b' already.",
      "The alias 'shared' of 'c' belongs to 'a' already.",
    ]);
    expect(registry.find("a")?.manifest.aliases).toEqual(["shared"]);
  });

  it("leads to the pattern with the longest beginning, where it is no whole name", async () => {
    for (const id of ["a", "b", "c"]) await folder.write(`${id}.gguf`, weights);
    const registry = await load({ a: ["gpt-*"], b: ["gpt-4*", "*"], c: ["gpt-4o", "g*x*y"] });
    const names = ["gpt-3", "gpt-4", "gpt-4o", "gpt-4o-mini", "claude", "g-x-y", "a"];
    expect(names.map((name) => idOf(registry, name))).toEqual(["a", "b", "c", "b", "b", "c", "a"]);
  });

  it("matches a pattern as its regular expression does", async () => {
    await folder.write("a.gguf", weights);
    const piece = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 4 }), piece, async (pieces, rest) => {
        const pattern = `x${pieces.join("*")}`;
        const name = `x${pieces.join(rest)}${rest}`;
        const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
        expect(idOf(await load({ a: [pattern] }), name)).toBe(expression.test(name) ? "a" : null);
      }),
      { numRuns: 60 },
    );
  });

  it("of a folder of a publisher leads to the file that a pull of it takes, and with a quantization to that one", async () => {
    await folder.write("someone/small-GGUF/small-IQ4_XS.gguf", weights);
    await folder.write("someone/small-GGUF/small-Q8_0.gguf", weights);
    await folder.write("someone/small-GGUF/small-Q4_K_M.gguf", weights);
    const registry = await load();
    const names = [
      "someone/small-GGUF:Q8_0",
      "someone/small-GGUF:Q4_K_M",
      "small-q8_0",
      "someone/small-GGUF",
    ];
    expect(names.map((name) => idOf(registry, name))).toEqual([
      "small-q8_0",
      "small-q4_k_m",
      "small-q8_0",
      "small-q4_k_m",
    ]);
    expect(registry.warnings).toEqual([]);
  });

  it("of a repository leads to no draft and no projector", async () => {
    for (const file of ["mmproj-small-Q4_K_M", "small-draft-Q4_K_M", "mtp-small-Q4_K_M", "small-Q8_0"])
      await folder.write(`someone/small-GGUF/${file}.gguf`, weights);
    const registry = await load();
    const names = [
      "someone/small-GGUF",
      "someone/small-GGUF:Q4_K_M",
      "someone/small-GGUF/small-draft-Q4_K_M",
    ];
    expect(names.map((name) => idOf(registry, name))).toEqual(["small-q8_0", null, "small-draft-q4_k_m"]);
  });

  it("leads to each of two files of one name in two repositories", async () => {
    await folder.write("first/small-GGUF/small-Q8_0.gguf", weights);
    await folder.write("second/small-GGUF/small-Q8_0.gguf", weights);
    const registry = await load();
    const names = [
      "small-q8_0",
      "first/small-GGUF:Q8_0",
      "second/small-GGUF:Q8_0",
      "second/small-GGUF/small-Q8_0",
    ];
    const second = "second/small-GGUF/small-Q8_0";
    expect(names.map((name) => idOf(registry, name))).toEqual(["small-q8_0", "small-q8_0", second, second]);
    expect(registry.warnings).toEqual([]);
  });

  it("in the settings that is no model's is reported", async () => {
    await folder.write("a.gguf", weights);
    expect((await load({ absent: ["x"] })).warnings).toEqual([
      "There are settings for 'absent', and no such model.",
    ]);
  });
});

describe("a manifest", () => {
  const only = async () => (await load()).list()[0];

  it("may leave out what the files say", async () => {
    await folder.write("sparse/manifest.json", JSON.stringify({ id: "mine", license: "MIT" }));
    await folder.write("sparse/weights.gguf", weights);
    expect(await only()).toMatchObject({
      unusable: null,
      manifest: { id: "mine", license: "MIT", file: "weights.gguf", family: "qwen3", bytes: weights.length },
      trainedTokens: 2048,
    });
  });

  it("without a file is unusable when its folder has none", async () => {
    await folder.write("empty/manifest.json", JSON.stringify({ id: "mine" }));
    expect(await only()).toMatchObject({
      manifest: { id: "mine" },
      unusable: "its manifest.json names no file, and the folder has no .gguf file.",
    });
  });
});
