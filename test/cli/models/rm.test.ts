import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { adapterBytes } from "../../kit/models/gguf-writer/adapter.js";
import { startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { commandEnvironment } from "./environment.js";

const hash = "0".repeat(64);

describe("hearth rm", () => {
  it("deletes all parts, their entries in the record of downloads, and folders that become empty", async () => {
    const { gguf, write, models, hearth } = commandEnvironment();
    const split = { metadata: { "split.count": { type: "u16", value: 2 } } } as const;
    gguf("models/org/repo/big-00001-of-00002.gguf", split);
    gguf("models/org/repo/big-00002-of-00002.gguf", split);
    const other = gguf("models/org/repo/small.gguf");
    const file = (path: string) => ({ path, bytes: 1, sha256: hash });
    const files = ["big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "small.gguf"].map(file);
    const record = { source: "org/repo", revision: "r1", name: null, license: "mit" };
    const pulledAt = "2026-11-21T12:00:00.000Z";
    write("models/org/repo/.source.json", JSON.stringify({ ...record, files, pulledAt }));
    expect(await hearth("rm", "big")).toBe("deleted 'big'\n");
    expect(readdirSync(join(models, "org/repo")).sort()).toEqual([".source.json", "small.gguf"]);
    expect(JSON.parse(readFileSync(join(models, "org/repo/.source.json"), "utf8"))).toMatchObject({
      files: [{ path: "small.gguf" }],
    });
    expect(existsSync(other)).toBe(true);
    expect(await hearth("rm", "small")).toBe("deleted 'small'\n");
    expect(readdirSync(models)).toEqual([]);
  });

  it("deletes the folder of a model with a manifest, and its settings", async () => {
    const { models, folder, hearth } = commandEnvironment();
    await writeVerifiedModel(models, "zeta");
    await hearth("set", "zeta", "context=512");
    await hearth("alias", "gpt-4o", "zeta");
    expect(await hearth("rm", "gpt-4o")).toBe("deleted 'zeta'\n");
    expect(readdirSync(models)).toEqual([]);
    expect(readFileSync(join(folder, "data/model-settings.yaml"), "utf8")).not.toContain("zeta");
  });

  it("unlinks a link to a file, and touches nothing behind a link to a folder", async () => {
    const { gguf, folder, models, hearth } = commandEnvironment();
    const elsewhere = gguf("elsewhere/zeta.gguf");
    symlinkSync(elsewhere, join(models, "linked.gguf"));
    symlinkSync(join(folder, "elsewhere"), join(models, "shared"));
    expect(await hearth("rm", "linked")).toBe("deleted 'linked'\n");
    await expect(hearth("rm", "--force", "zeta")).rejects.toThrow(
      /^'zeta' is in .*shared, which is a link to another folder; delete the link\.$/,
    );
    expect(existsSync(elsewhere)).toBe(true);
    expect(readdirSync(models)).toEqual(["shared"]);
  });

  it("refuses built-in models and those of other folders, and goes on with the rest", async () => {
    const folder = commandEnvironment();
    const other = folder.gguf("other/omega.gguf");
    const { gguf, models, hearth } = commandEnvironment({
      HEARTH_MODELS_FOLDERS: join(folder.folder, "other"),
    });
    gguf("models/zeta.gguf");
    await expect(hearth("rm", "--force", "hearth-tiny", "omega", "none", "zeta")).rejects.toThrow(
      [
        "'hearth-tiny-5m' is part of Hearth and cannot be deleted.",
        `'omega' is not in the folder of models, but at ${other}; delete it there.`,
        "There is no model 'none'. `hearth ls` lists the models.",
      ].join("\n"),
    );
    expect(existsSync(other)).toBe(true);
    expect(readdirSync(models)).toEqual([]);
  });

  it("deletes the file of an adapter, and not that of its base", async () => {
    const { gguf, write, hearth, models } = commandEnvironment();
    gguf("models/base.gguf");
    write("models/adapter.gguf", adapterBytes());
    await hearth("set", "adapter", "base=base");
    expect(await hearth("rm", "adapter")).toBe("deleted 'adapter'\n");
    expect(readdirSync(models)).toEqual(["base.gguf"]);
  });

  it("refuses a model that the running server has in memory, or that an adapter is based on, unless forced", async () => {
    const engine = createScriptedEngine(() => ["Good"]);
    const resident = { bytes: 1, device: "cpu", contextTokens: 64, slots: 1, loadedAt: 0, until: null };
    vi.spyOn(engine, "residents").mockReturnValue([{ id: "zeta", ...resident }]);
    const { url } = await startServer({ engine });
    const { gguf, write, hearth } = commandEnvironment({
      HEARTH_PORT: new URL(url).port,
      HEARTH_API_KEY: testKey,
    });
    gguf("models/zeta.gguf");
    gguf("models/base.gguf");
    write("models/adapter.gguf", adapterBytes());
    await hearth("set", "adapter", "base=base");
    await expect(hearth("rm", "zeta", "base")).rejects.toThrow(
      [
        "'zeta' is in the memory of the running server; --force deletes it.",
        "'base' is the base of the adapter 'adapter'; --force deletes it.",
      ].join("\n"),
    );
    expect(await hearth("rm", "--force", "zeta", "base")).toBe("deleted 'zeta'\ndeleted 'base'\n");
  });

  it("deletes the whole folder of an image model", async () => {
    const { write, models, hearth } = commandEnvironment();
    mkdirSync(join(models, "painter"));
    write("models/painter/model_index.json", "{}");
    write("models/painter/unet/model.onnx", "x");
    expect(await hearth("rm", "painter")).toBe("deleted 'painter'\n");
    expect(readdirSync(models)).toEqual([]);
  });

  it("never deletes the folder of models itself, when another folder of models has it as a model", async () => {
    const { environment, write, gguf, folder } = commandEnvironment();
    const { hearth } = commandEnvironment({ ...environment, HEARTH_MODELS_FOLDERS: folder });
    write("models/model_index.json", "{}");
    const other = gguf("models/zeta.gguf");
    await expect(hearth("rm", "--force", "models")).rejects.toThrow(
      "'models' is not in the folder of models",
    );
    expect(existsSync(other)).toBe(true);
  });
});
