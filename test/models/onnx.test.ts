import fc from "fast-check";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visionFiles } from "../../src/engine/vision/families.js";
import { checkOnnxModel } from "../../src/models/onnx/check.js";
import { ember } from "../kit/scripted/ember.js";
import { message, type Field } from "../kit/models/onnx-writer.js";
import { casesOf } from "../kit/setup/random-cases.js";
import { writeCaptioner } from "../kit/models/vision/captioner.js";
import { writeMoondream } from "../kit/models/vision/moondream.js";
import { writeSmolVlm } from "../kit/models/vision/vision-chat.js";
import { useFolder } from "./folder.js";

const folder = useFolder();

/** Checks a model whose only graph is this file. */
function check(bytes: Uint8Array): Promise<string | null> {
  mkdirSync(join(folder.path, "onnx"), { recursive: true });
  writeFileSync(join(folder.path, "onnx/model.onnx"), bytes);
  return checkOnnxModel({ ...ember, path: join(folder.path, "config.json") }, { graphs: [], others: [] });
}

function wholeGraph(): Buffer {
  mkdirSync(join(folder.path, "whole"), { recursive: true });
  writeCaptioner(join(folder.path, "whole"));
  return readFileSync(join(folder.path, "whole/onnx/decoder_model_merged.onnx"));
}

const entry = (key: string, value: string): Field => [
  13,
  message([
    [2, value],
    [1, key],
  ]),
];
/** A model whose only content is a tensor, at the end of a path of fields. */
function modelWith(path: readonly number[], tensor: readonly Field[]): Buffer {
  const inner = path.reduceRight((content, number) => message([[number, content]]), message(tensor));
  return Buffer.concat([message([[1, 7]]), inner, message([[8, ""]])]);
}

describe("an ONNX file", () => {
  it("C11: never makes the reader throw or hang, whatever bytes are changed and end is cut off", async () => {
    const good = wholeGraph();
    expect(await check(good)).toBeNull();
    const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(edits, fc.option(fc.nat(good.length - 1)), async (changes, kept) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        const reason = await check(bytes.subarray(0, kept ?? good.length));
        if (reason !== null)
          expect(reason).toMatch(/^its file 'onnx\/model\.onnx' is refused: [\x20-\x7e]+\.$/);
        if (changes.length === 0 && kept !== null) expect(reason).not.toBeNull();
      }),
      { numRuns: casesOf(500) },
    );
  });

  it.each([
    ["an initializer", [7, 5]],
    ["a constant of a node", [7, 1, 5, 5]],
    ["a list of a node", [7, 1, 5, 10]],
    ["a branch of a node", [7, 1, 5, 6, 5]],
    ["a sparse tensor", [7, 15, 1]],
    ["a function", [25, 7, 5, 5]],
    ["a training graph", [20, 1, 5]],
  ])("C11: that refers to a file outside its folder from %s is refused", async (_, path) => {
    for (const location of [
      "../secret",
      "/etc/passwd",
      "a/../../b",
      "..",
      "sub/data",
      "C:\\data",
      "a\0b",
      "",
    ]) {
      const bytes = Buffer.concat([
        modelWith(path, [entry("location", location), [14, 1]]),
        message([[7, message([[2, "graph"]])]]),
      ]);
      expect(await check(bytes)).toContain("it refers to data outside its folder");
    }
  });

  it("C11: that names its data twice is checked for both names, and data that is too short is refused", async () => {
    await folder.write("onnx/data", Buffer.alloc(8));
    const tensor = [entry("location", "data"), entry("offset", "4"), entry("length", "4")];
    expect(await check(modelWith([7, 5], tensor))).toBeNull();
    expect(await check(modelWith([7, 5], [entry("location", "../x"), ...tensor]))).toContain(
      "outside its folder",
    );
    expect(await check(modelWith([7, 5], [...tensor, entry("length", "5")]))).toContain(
      "'data' is 8 bytes, it needs 9: it is truncated.",
    );
  });

  it("C11: that is nested without end, or is another protocol buffer, is refused", async () => {
    const path = Array.from({ length: 200 }, (_, at) => [1, 5, 6][at % 3] ?? 1);
    expect(await check(modelWith([7, ...path], []))).toContain("nested too deeply");
    expect(await check(message([[1, 7]]))).toContain("it is not an ONNX model.");
    expect(await check(Buffer.alloc(0))).toContain("it is not an ONNX model.");
  });
});

describe("a vision model", () => {
  it.each([
    ["smolvlm", "processor_config.json", writeSmolVlm],
    ["smolvlm", "onnx/vision_encoder.onnx", writeSmolVlm],
    ["moondream1", "generation_config.json", writeMoondream],
  ] as const)("of the family %s is refused without its file %s", async (family, name, write) => {
    write(folder.path);
    const model = { ...ember, path: join(folder.path, "config.json") };
    expect(await checkOnnxModel(model, visionFiles(family))).toBeNull();
    rmSync(join(folder.path, name));
    expect(await checkOnnxModel(model, visionFiles(family))).toBe(`its file '${name}' is missing.`);
  });
});
