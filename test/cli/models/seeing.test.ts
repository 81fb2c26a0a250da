/** Models that see, from the pull to the deletion. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { temporaryFolder } from "../../kit/folder.js";
import { projectorBytes, writeSeeingModel } from "../../kit/models/seeing-models.js";
import { runProgram } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { createPulling } from "../../models/hub/pulling.js";
import {
  describeMedia,
  imageTokensOf,
  look,
  picture,
  withoutMedia,
} from "../../end-to-end/media/media-server.js";
import { commandEnvironment } from "./environment.js";

const projector = "mmproj-seer-f16.gguf";

/** The bytes of a model that sees. */
async function weights(): Promise<Buffer> {
  return readFileSync((await writeSeeingModel(temporaryFolder(), "gemma3")).model);
}

/** Writes a model in two quantizations with a projector. @returns commands on its folder. */
async function published(more: NodeJS.ProcessEnv = {}) {
  const environment = commandEnvironment(more);
  const folder = join(environment.models, "acme/seer");
  mkdirSync(folder, { recursive: true });
  const bytes = await weights();
  for (const quant of ["F16", "F32"]) writeFileSync(join(folder, `seer-${quant}.gguf`), bytes);
  writeFileSync(join(folder, projector), projectorBytes("gemma3"));
  return { ...environment, own: (file: string) => existsSync(join(folder, file)), folder };
}

/** Returns the tokens that the model has read of an image. */
async function see(environment: NodeJS.ProcessEnv, model: string): Promise<number> {
  const { HEARTH_MODELS: models } = environment;
  const server = await startServer({ environment: { HEARTH_MODELS: models } });
  return imageTokensOf(await look(server, model, ["hello ", await picture(64, 64)], 2));
}

describeMedia(`hearth pull of a repository with a projector${withoutMedia}`, () => {
  it("brings the projector first, once for all quantizations, and the model sees", async () => {
    const bytes = await weights();
    const hub = await startHub({
      "seer-F16.gguf": bytes,
      "seer-F32.gguf": bytes,
      [projector]: projectorBytes("gemma3"),
    });
    const { environment, hearth } = commandEnvironment();
    const pull = async (what: string) => {
      const run = runProgram(["pull", "--json", what], { ...environment, HF_ENDPOINT: hub.url });
      expect([await run.exited, run.stderr()]).toEqual([0, ""]);
      return run
        .stdout()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { phase: string; file: string; filesTotal: number });
    };
    const events = await pull("acme/seer:F16");
    const files = new Set(events.map(({ file }) => file).filter((file) => file !== ""));
    expect([...files]).toEqual([`acme/seer/${projector}`, "acme/seer/seer-F16.gguf"]);
    expect(events.at(-1)).toMatchObject({ id: "seer-f16", kind: "chat", filesTotal: 2, problem: null });
    await pull("acme/seer:F32");
    const fetched = hub.requests.filter(
      ({ server, path, range }) => server === "cdn" && path.includes("mmproj") && range !== "bytes=0-0",
    );
    expect(fetched).toHaveLength(1);
    expect(await hearth("show", "acme/seer")).toMatch(
      /^ +projector +reads images by mmproj-seer-f16\.gguf$/m,
    );
    expect(await see(environment, "acme/seer")).toBeGreaterThan(10);
  });

  it("continues a projector that was cut, and takes one that is named alone", async () => {
    const bytes = projectorBytes("gemma3");
    const hub = await startHub({ "seer-F16.gguf": await weights(), [projector]: bytes });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    hub.behaviour.cutAfterBytes = Math.ceil(bytes.length / 3);
    expect(await pulling.pull(`acme/seer/${projector}`)).toMatchObject({
      id: "mmproj-seer-f16",
      kind: "projector",
      problem: null,
    });
    hub.behaviour.cutAfterBytes = 0;
    expect(hub.sent.bytes).toBeLessThan(bytes.length * 1.5);
    expect(pulling.read(`acme/seer/${projector}`).equals(bytes)).toBe(true);
    const before = hub.sent.bytes;
    expect(await pulling.pull("acme/seer")).toMatchObject({ id: "seer-f16", kind: "chat" });
    expect(hub.sent.bytes - before).toBeLessThan((await weights()).length + 10);
  });

  it("says of a projector that was pulled alone what it is, and no name for requests", async () => {
    const hub = await startHub({ [projector]: projectorBytes("gemma3") });
    const { environment } = commandEnvironment();
    const run = runProgram(["pull", `acme/seer/${projector}`], { ...environment, HF_ENDPOINT: hub.url });
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    expect(run.stdout()).toMatch(/^pulled mmproj-seer-f16 \(projector, [\d.]+ kB, licence apache-2\.0\)$/m);
    const none = runProgram(["pull", "acme/seer"], { ...environment, HF_ENDPOINT: hub.url });
    expect(await none.exited).toBe(1);
    expect(none.stderr()).toContain("holds nothing that Hearth can run");
  });
});

describe("a projector beside models", () => {
  it("is no row of hearth ls, and its memory is counted by hearth fit", async () => {
    const { hearth, json } = await published();
    expect(await hearth("ls")).not.toContain("mmproj");
    const needed = async () => (await json<{ neededBytes: number }>("fit", "seer-f16")).neededBytes;
    const withProjector = await needed();
    await hearth("set", "seer-f16", "projector=none");
    expect(withProjector - (await needed())).toBeGreaterThan(projectorBytes("gemma3").length);
  });

  it("is deleted with the last model of its folder that has it, and not before", async () => {
    const { hearth, own, models } = await published();
    await hearth("set", "seer-f16", "projector=none");
    await hearth("rm", "seer-f32");
    expect(own(projector)).toBe(true);
    await hearth("rm", "seer-f16");
    expect(existsSync(join(models, "acme"))).toBe(false);
  });

  it("stays where a model of another folder has it by a setting, or where it is another model's", async () => {
    const { hearth, own, folder, models } = await published();
    writeFileSync(join(models, "other.gguf"), await weights());
    writeFileSync(join(folder, "cat-F16.gguf"), await weights());
    writeFileSync(join(folder, "mmproj-cat-f16.gguf"), projectorBytes("gemma3"));
    await hearth("set", "other", `projector=acme/seer/${projector}`);
    await hearth("rm", "seer-f16", "seer-f32");
    expect([own(projector), own("mmproj-cat-f16.gguf")]).toEqual([true, true]);
    await hearth("rm", "cat-f16");
    expect([own(projector), own("mmproj-cat-f16.gguf")]).toEqual([true, false]);
  });

  it("in a folder of several models belongs to the one that it is named for most exactly", async () => {
    const { hearth, folder, write } = await published();
    const [long, short] = ["mmproj-seer-f32-plus-q8_0.gguf", projector];
    write("models/acme/seer/seer-F32-plus-Q4_0.gguf", await weights());
    writeFileSync(join(folder, long), projectorBytes("gemma3"));
    expect(await hearth("show", "seer-f32-plus-q4_0")).toContain(`reads images by ${long}`);
    expect(await hearth("show", "seer-f32")).toContain(`reads images by ${short}`);
  });
});

describe("hearth set MODEL projector", () => {
  it("names another file, or none, and takes the setting back", async () => {
    const { hearth, folder } = await published();
    renameSync(join(folder, projector), join(folder, "..", "eyes.gguf"));
    expect(await hearth("show", "seer-f16")).not.toContain("reads images");
    await hearth("set", "seer-f16", "projector=acme/eyes.gguf");
    expect(await hearth("show", "seer-f16")).toContain("reads images by eyes.gguf");
    expect(await hearth("set", "seer-f16", "projector=none")).toBe("projector: none\n");
    expect(await hearth("show", "seer-f16")).not.toContain("reads images");
    expect(await hearth("set", "seer-f16", "projector=")).toBe("projector: removed\n");
  });

  it("is refused for a file that is none, and for a model that is no chat model", async () => {
    const { hearth } = await published();
    await expect(hearth("set", "seer-f16", "projector=acme/seer/seer-F32.gguf")).rejects.toThrow(
      "'seer-f16' cannot be used now: its setting projector names a file that is no projector (mmproj) in GGUF.",
    );
    await expect(hearth("set", "hearth-embed", `projector=acme/seer/${projector}`)).rejects.toThrow(
      "its setting projector is for chat models only.",
    );
  });
});

describeMedia(`hearth import${withoutMedia}`, () => {
  it("links a model of LM Studio with its projector, and the model sees", async () => {
    const { hearth, folder, models, environment } = commandEnvironment();
    await writeSeeingModel(join(folder, "lmstudio/acme/seer"), "gemma3");
    await hearth("import", "--from", "lmstudio");
    expect(await see(environment, "acme/seer")).toBeGreaterThan(10);
    await hearth("rm", "gemma3");
    expect(readdirSync(models)).toEqual([]);
    expect(existsSync(join(folder, "lmstudio/acme/seer/mmproj-gemma3.gguf"))).toBe(true);
  });

  it("links each model of Ollama with the projector of its manifest, and the model sees", async () => {
    const { hearth, write, environment } = commandEnvironment();
    const blob = (letter: string, bytes: Buffer): string =>
      write(`ollama/blobs/sha256-${letter.repeat(64)}`, bytes);
    const layer = (type: string, letter: string) => ({
      mediaType: `application/vnd.ollama.image.${type}`,
      digest: `sha256:${letter.repeat(64)}`,
    });
    blob("a", await weights());
    blob("b", projectorBytes("gemma3"));
    blob("c", projectorBytes("gemma3", { layers: 1 }));
    const manifest = (tag: string, eyes: string) =>
      write(
        `ollama/manifests/registry.ollama.ai/library/seer/${tag}`,
        JSON.stringify({ layers: [layer("model", "a"), layer("projector", eyes)] }),
      );
    manifest("7b", "b");
    manifest("7b-chat", "c");
    await hearth("import", "--from", "ollama");
    expect(await hearth("show", "seer:7b")).toContain("reads images by mmproj-seer-7b.gguf");
    expect(await hearth("show", "seer:7b-chat")).toContain("reads images by mmproj-seer-7b-chat.gguf");
    expect(await see(environment, "seer-7b-chat")).toBeGreaterThan(10);
  });
});
