import {
  existsSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFolders } from "../../../src/cli/models/import-folders.js";
import { explainLinkFailure } from "../../../src/models/library/link.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { commandEnvironment } from "./environment.js";

const digest = (letter: string): string => letter.repeat(64);
const layer = (letter: string, type = "model") => ({
  mediaType: `application/vnd.ollama.image.${type}`,
  digest: `sha256:${digest(letter)}`,
  size: 1,
});

/** Writes a folder as Ollama has it. */
function ollama() {
  const environment = commandEnvironment();
  const { write } = environment;
  const registry = "ollama/manifests/registry.ollama.ai";
  const manifest = (path: string, ...layers: readonly object[]) =>
    write(`${registry}/${path}`, JSON.stringify({ schemaVersion: 2, layers }));
  write(`ollama/blobs/sha256-${digest("a")}`, modelBytes());
  write(`ollama/blobs/sha256-${digest("b")}`, "safetensors");
  manifest("library/llama3.2/3b", layer("a"), layer("c", "license"));
  manifest("someone/tuned/latest", layer("a"));
  manifest("library/gone/latest", layer("d"));
  manifest("library/other/latest", layer("b"));
  manifest("library/tuning/latest", layer("a"), layer("e", "adapter"));
  manifest("library/cloud/latest", layer("c", "license"));
  write(`${registry}/library/torn/latest`, "{");
  return environment;
}

describe("hearth import --from ollama", () => {
  it("links the weights under their names, and says what was skipped and why", async () => {
    const { hearth, models, folder } = ollama();
    expect((await hearth("import", "--from", "ollama")).split("\n")).toEqual([
      "linked  llama3.2:3b as library/llama3.2/llama3.2-3b.gguf",
      "linked  someone/tuned:latest as someone/tuned/tuned-latest.gguf",
      "skipped  cloud:latest: it has no GGUF weights",
      "skipped  gone:latest: its weights are missing; pull it with Ollama again",
      "skipped  other:latest: its weights are not a GGUF file",
      "skipped  torn:latest: its manifest cannot be read",
      "skipped  tuning:latest: it is an adapter over another model",
      "2 linked, 0 were linked before, 5 skipped",
      "",
    ]);
    expect(readlinkSync(join(models, "library/llama3.2/llama3.2-3b.gguf"))).toBe(
      join(folder, `ollama/blobs/sha256-${digest("a")}`),
    );
    expect(await hearth("show", "llama3.2:3b")).toMatch(/^ +id +llama3\.2-3b$/m);
    expect(await hearth("show", "someone/tuned:latest")).toMatch(/^ +id +tuned-latest$/m);
  });

  it("changes nothing with --dry-run, and nothing when it is repeated", async () => {
    const { hearth, json, models } = ollama();
    const dry = await hearth("import", "--from", "ollama", "--dry-run");
    expect(dry).toContain("would link  llama3.2:3b as library/llama3.2/llama3.2-3b.gguf\n");
    expect(existsSync(join(models, "library"))).toBe(false);
    await hearth("import", "--from", "ollama");
    await hearth("alias", "--rm", "llama3.2:3b");
    expect(await json("import", "--from", "ollama")).toMatchObject({
      linked: [],
      present: [{ name: "llama3.2:3b" }, { name: "someone/tuned:latest" }],
    });
    await expect(hearth("show", "llama3.2:3b")).rejects.toThrow("There is no model");
  });

  it("leaves another file and an alias of another model alone, and renews a link to a file that is gone", async () => {
    const { hearth, gguf, write, folder, models } = ollama();
    const own = gguf("models/library/llama3.2/llama3.2-3b.gguf");
    await hearth("alias", "someone/tuned:latest", "hearth-tiny");
    mkdirSync(join(models, "someone/tuned"), { recursive: true });
    symlinkSync(write("gone", ""), join(models, "someone/tuned/tuned-latest.gguf"));
    unlinkSync(join(folder, "gone"));
    const lines = (await hearth("import", "--from", "ollama")).split("\n");
    expect(lines).toContain(`skipped  llama3.2:3b: ${own} is another file`);
    expect(lines).toContain("linked  someone/tuned:latest as someone/tuned/tuned-latest.gguf");
    expect(lines).toContain("someone/tuned:latest leads to hearth-tiny-5m as before");
  });
});

describe("hearth import", () => {
  it("links the models of LM Studio with all parts and their projectors, without incomplete ones", async () => {
    const { hearth, gguf, write, models } = commandEnvironment();
    gguf("lmstudio/org/repo/big-00001-of-00002.gguf");
    gguf("lmstudio/org/repo/big-00002-of-00002.gguf");
    gguf("lmstudio/org/half/half-00001-of-00002.gguf");
    gguf("lmstudio/org/repo/mmproj-F16.gguf");
    write("lmstudio/org/repo/mmproj-F32.gguf", "x");
    write("lmstudio/org/repo/README.md", "x");
    expect((await hearth("import", "--from", "lmstudio")).split("\n")).toEqual([
      "linked  org/repo/big-00001-of-00002.gguf as org/repo/big-00001-of-00002.gguf",
      "skipped  org/half/half-00001-of-00002.gguf: its part half-00002-of-00002.gguf is missing, or is not a GGUF file",
      "skipped  org/repo/mmproj-F32.gguf: it is not a GGUF file",
      "1 linked, 0 were linked before, 2 skipped",
      "",
    ]);
    for (const file of ["big-00002-of-00002.gguf", "mmproj-F16.gguf"])
      expect(existsSync(join(models, "org/repo", file))).toBe(true);
  });

  it("links the current revision of repositories in the cache of Hugging Face, from any folder of it", async () => {
    const { hearth, write, gguf, folder, models } = commandEnvironment();
    const blob = gguf("hf/models--org--repo--GGUF/blobs/abc");
    const snapshot = (revision: string): string =>
      join(folder, "hf/models--org--repo--GGUF/snapshots", revision, "Q4_K_M");
    for (const revision of ["new", "old"]) {
      mkdirSync(snapshot(revision), { recursive: true });
      symlinkSync(blob, join(snapshot(revision), "zeta-Q4_K_M.gguf"));
    }
    const later = new Date("2027-01-01T00:00:00Z");
    utimesSync(join(folder, "hf/models--org--repo--GGUF/snapshots/old"), later, later);
    write("hf/models--org--repo--GGUF/refs/main", "new");
    write("hf/models--org--torch/snapshots/r1/model.safetensors", "x");
    write("hf/models--org--empty/refs/main", "r1");
    expect((await hearth("import", "--from", "hf")).split("\n")).toEqual([
      "linked  org/repo--GGUF/zeta-Q4_K_M.gguf as org/repo--GGUF/zeta-Q4_K_M.gguf",
      "skipped  org/empty: it was not downloaded as a whole",
      "skipped  org/torch: it has no GGUF file",
      "1 linked, 0 were linked before, 2 skipped",
      "",
    ]);
    expect(readlinkSync(join(models, "org/repo--GGUF/zeta-Q4_K_M.gguf"))).toBe(
      join(snapshot("new"), "zeta-Q4_K_M.gguf"),
    );
    expect(await hearth("show", "org/repo--GGUF:Q4_K_M")).toMatch(/^ +id +zeta-q4_k_m$/m);
  });

  it("takes another folder, and links nothing from a folder that is read already", async () => {
    const { gguf, folder } = commandEnvironment();
    gguf("elsewhere/org/repo/zeta.gguf");
    const elsewhere = join(folder, "elsewhere");
    const other = commandEnvironment({ HEARTH_MODELS_FOLDERS: elsewhere });
    expect(await other.hearth("import", "--from", "lmstudio", elsewhere)).toContain(
      "skipped  org/repo/zeta.gguf: its folder is one of the folders of models\n",
    );
    const { hearth } = commandEnvironment();
    expect(await hearth("import", "--from", "lmstudio", elsewhere)).toContain("1 linked");
  });

  it("C12: goes on after a name that cannot be used, reports each with its reason, and fails at the end", async () => {
    const { hearth, json, exitCode, write, models } = commandEnvironment();
    const registry = "ollama/manifests/registry.ollama.ai/library";
    write(`ollama/blobs/sha256-${digest("a")}`, modelBytes());
    const names = [
      "a+b/latest",
      "first/latest",
      "last/latest",
      "ü/latest",
      `${"n".repeat(250)}/latest`,
      "shut/latest",
    ];
    for (const name of names) write(`${registry}/${name}`, JSON.stringify({ layers: [layer("a")] }));
    write("models/library/shut", "a file where the folder should be");
    const text = await hearth("import", "--from", "ollama");
    expect(exitCode()).toBe(1);
    expect(text).toMatch(/^failed {2}a\+b:latest: it is linked as .*, without this alias: alias: must be/m);
    expect(text).toMatch(/^failed {2}ü:latest: it is linked as .*, without this alias: alias: must be/m);
    expect(text).toMatch(/^failed {2}n{250}:latest: its name is too long$/m);
    expect(text).toMatch(/^failed {2}shut:latest: /m);
    expect(text).toMatch(/4 failed$/m);
    for (const good of ["first:latest", "last:latest"]) expect(await hearth("show", good)).toContain(good);
    expect(existsSync(join(models, "library/last/last-latest.gguf"))).toBe(true);
    const again = await json<{ failed: readonly unknown[]; present: readonly unknown[] }>(
      "import",
      "--from",
      "ollama",
    );
    expect([again.present.length, again.failed.length, exitCode()]).toEqual([4, 2, 1]);
  });

  it("says who can make links on Windows", () => {
    const refused = Object.assign(new Error("operation not permitted"), { code: "EPERM" });
    expect(explainLinkFailure(refused, "win32")).toContain("in developer mode");
    expect(explainLinkFailure(refused, "linux")).toBe("operation not permitted");
  });

  it("reports a folder that is not there, and a program that is not known", async () => {
    const { hearth, folder } = commandEnvironment();
    await expect(hearth("import", "--from", "ollama")).rejects.toThrow(
      `there is no folder ${join(folder, "ollama")}; if the models are elsewhere: \`hearth import --from ollama FOLDER\``,
    );
    await expect(hearth("import", "--from", "other")).rejects.toThrow(
      "Allowed choices are ollama, lmstudio, hf",
    );
    await expect(hearth("import")).rejects.toThrow("required option '--from <program>' not specified");
  });
});

it("finds the usual folders of other programs, and those that variables name", () => {
  const { folder, write } = commandEnvironment();
  write(".cache/lm-studio/models/x", "");
  expect(importFolders({}, folder)).toEqual({
    ollama: join(folder, ".ollama/models"),
    lmstudio: join(folder, ".cache/lm-studio/models"),
    hf: join(folder, ".cache/huggingface/hub"),
  });
  const [home, hub] = [join(folder, "hf-home"), join(folder, "hub")];
  mkdirSync(join(home, "hub"), { recursive: true });
  writeFileSync(join(folder, "hub"), "");
  expect(importFolders({ HF_HOME: home, OLLAMA_MODELS: "/big" }, folder)).toMatchObject({
    ollama: "/big",
    hf: join(home, "hub"),
  });
  expect(importFolders({ HF_HOME: home, HF_HUB_CACHE: hub }, folder).hf).toBe(hub);
});
