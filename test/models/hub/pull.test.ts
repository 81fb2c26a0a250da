import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRegistry } from "../../../src/models/registry.js";
import { systemClock } from "../../../src/system/clock.js";
import { sha256Of } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { createPulling, ggufOf } from "./pulling.js";

const mebibyte = 1024 * 1024;
const model = "acme/tiny/tiny-Q4_K_M.gguf";

describe("a pull", () => {
  it("downloads the file, records where it came from, and leaves nothing else behind", async () => {
    const bytes = ggufOf(40 * mebibyte);
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes, "tiny-Q8_0.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url }, { clock: systemClock });
    const result = await pulling.pull("acme/tiny");
    expect(result).toEqual({
      id: "tiny-q4_k_m",
      kind: "chat",
      files: [{ path: model, bytes: bytes.length, sha256: sha256Of(bytes) }],
      bytes: bytes.length,
      license: "apache-2.0",
      problem: null,
    });
    expect(pulling.files()).toEqual(["acme/tiny/.source.json", model]);
    expect(sha256Of(pulling.read(model))).toBe(sha256Of(bytes));
    expect(JSON.parse(pulling.read("acme/tiny/.source.json").toString())).toMatchObject({
      source: "acme/tiny",
      revision: "c".repeat(40),
      name: null,
      license: "apache-2.0",
      files: [{ path: "tiny-Q4_K_M.gguf", bytes: bytes.length, sha256: sha256Of(bytes) }],
    });
    const ranges = hub.requests.flatMap(({ server, range }) =>
      server === "cdn" && range !== null ? [range] : [],
    );
    expect(new Set(ranges)).toEqual(
      new Set(["bytes=0-0", "bytes=0-16777215", "bytes=16777216-33554431", "bytes=33554432-41943039"]),
    );
  });

  it("reports its progress up to the end", async () => {
    const hub = await startHub({ "a-Q4_K_M.gguf": ggufOf(2 * mebibyte) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    await pulling.pull("acme/tiny");
    expect(pulling.progress[0]).toEqual({
      phase: "resolving",
      file: "",
      bytesDone: 0,
      bytesTotal: 0,
      bytesPerSecond: 0,
      filesDone: 0,
      filesTotal: 0,
    });
    expect(new Set(pulling.progress.map(({ phase }) => phase))).toEqual(
      new Set(["resolving", "downloading", "verifying", "done"]),
    );
    expect(pulling.progress.at(-1)).toMatchObject({
      phase: "done",
      file: "acme/tiny/a-Q4_K_M.gguf",
      bytesDone: 2 * mebibyte,
      bytesTotal: 2 * mebibyte,
      filesDone: 1,
      filesTotal: 1,
    });
  });

  it("of a file that is there asks for no bytes, and adopts one that was copied there", async () => {
    const bytes = ggufOf(mebibyte);
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    mkdirSync(join(pulling.models, "acme/tiny"), { recursive: true });
    writeFileSync(join(pulling.models, model), bytes);
    for (const time of ["copied", "recorded"]) {
      const { files } = await pulling.pull("acme/tiny");
      expect([time, files[0]?.sha256]).toEqual([time, sha256Of(bytes)]);
      expect(hub.requests.filter(({ server }) => server === "cdn")).toEqual([]);
      expect(pulling.files()).toEqual(["acme/tiny/.source.json", model]);
    }
  });

  it("replaces its own file when the repository has a new one, but never another file of that name", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(mebibyte, 1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    await pulling.pull("acme/tiny");
    const next = ggufOf(mebibyte, 2);
    hub.files.set("tiny-Q4_K_M.gguf", next);
    await pulling.pull("acme/tiny");
    expect(sha256Of(pulling.read(model))).toBe(sha256Of(next));

    const other = createPulling({ HF_ENDPOINT: hub.url });
    mkdirSync(join(other.models, "acme/tiny"), { recursive: true });
    writeFileSync(join(other.models, model), "mine");
    expect((await other.refusal("acme/tiny")).message).toContain(
      "exists already and was not pulled from there",
    );
    expect(other.read(model).toString()).toBe("mine");
  });

  it("of a split model puts its parts side by side, the first at last", async () => {
    const parts = {
      "Q8_0/m-Q8_0-00001-of-00002.gguf": ggufOf(1),
      "Q8_0/m-Q8_0-00002-of-00002.gguf": ggufOf(1),
    };
    const hub = await startHub(parts);
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    const { id, files } = await pulling.pull("acme/tiny:q8_0");
    expect(id).toBe("m-q8_0");
    expect(files.map(({ path }) => path)).toEqual([
      "acme/tiny/m-Q8_0-00002-of-00002.gguf",
      "acme/tiny/m-Q8_0-00001-of-00002.gguf",
    ]);
  });

  it("prints the id that the registry gives the model", async () => {
    const hub = await startHub({ "Tiny Model-Q4_K_M.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    const { id } = await pulling.pull("acme/tiny");
    const registry = await loadRegistry({ folders: [join(pulling.models, "acme")], contextTokensMax: 512 });
    expect(registry.list().map(({ manifest, unusable }) => [manifest.id, unusable])).toEqual([[id, null]]);
  });

  it("of a folder of transformers.js keeps its subfolders", async () => {
    const text = Buffer.from('{"model_type":"known"}');
    const names = ["config.json", "tokenizer.json", "tokenizer_config.json", "preprocessor_config.json"];
    const hub = await startHub({
      ...Object.fromEntries(names.map((name) => [name, text])),
      "onnx/encoder_model_quantized.onnx": Buffer.from("graph"),
      "empty.txt": Buffer.alloc(0),
    });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    expect(await pulling.pull("acme/viewer")).toMatchObject({
      id: "viewer",
      kind: "vision",
      problem: null,
    });
    // The hub states no hash of small files: another commit may have another file of the same size.
    hub.files.set("config.json", Buffer.from('{"model_type":"other"}'));
    hub.behaviour.commit = "d".repeat(40);
    expect((await pulling.pull("acme/viewer")).problem).toBe(
      "it is a 'other', which this server does not support.",
    );
    expect(pulling.files()).toEqual(
      [".source.json", "empty.txt", "onnx/encoder_model_quantized.onnx", ...names]
        .map((name) => `acme/viewer/${name}`)
        .sort(),
    );
  });

  it("by a name of the curated list records the name", async () => {
    const hub = await startHub({ "Qwen3-0.6B-Q8_0.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    await pulling.pull("qwen3:0.6b");
    const record: unknown = JSON.parse(pulling.read("Qwen/Qwen3-0.6B-GGUF/.source.json").toString());
    expect(record).toMatchObject({ source: "Qwen/Qwen3-0.6B-GGUF", name: "qwen3:0.6b" });
  });

  it("of a URL goes into the folder of models, and its record holds no query", async () => {
    const bytes = ggufOf(20 * mebibyte);
    const hub = await startHub({ "my model.gguf": bytes });
    const pulling = createPulling({ HF_ENDPOINT: "http://hub.invalid" });
    const { id } = await pulling.pull(`${hub.cdnUrl}/plain/my%20model.gguf?secret=1`);
    expect(id).toBe("my-model");
    expect(pulling.files()).toEqual([".source.json", "my model.gguf"]);
    expect(JSON.parse(pulling.read(".source.json").toString())).toMatchObject({
      source: `${hub.cdnUrl}/plain/my%20model.gguf`,
      revision: null,
      files: [{ path: "my model.gguf", sha256: sha256Of(bytes) }],
    });
  });
});
