import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addToSourceRecord,
  findFileOrigin,
  readSourceRecord,
  sourceRecordFile,
  writeSourceRecord,
  type SourceRecord,
} from "../../src/models/source-record.js";
import { useFolder } from "./folder.js";

const folder = useFolder();

const small: SourceRecord = {
  source: "acme/tiny",
  revision: "a".repeat(40),
  name: "tiny:latest",
  license: "apache-2.0",
  files: [{ path: "tiny-Q4_K_M.gguf", bytes: 10, sha256: "0".repeat(64) }],
  pulledAt: "2026-11-23T10:00:00.000Z",
};
const large: SourceRecord = {
  ...small,
  revision: "b".repeat(40),
  name: null,
  files: [{ path: "tiny-Q8_0.gguf", bytes: 20, sha256: null }],
  pulledAt: "2026-11-24T10:00:00.000Z",
};

describe("the record of what was downloaded into a folder", () => {
  it("is read as it was written, and is a hidden file", async () => {
    await writeSourceRecord(folder.path, small);
    expect(await readSourceRecord(folder.path)).toEqual(small);
    expect(await readdir(folder.path)).toEqual([".source.json"]);
  });

  it("merges the files of several downloads, and each keeps where it came from", async () => {
    await addToSourceRecord(folder.path, small);
    const both = await addToSourceRecord(folder.path, large);
    expect(both).toEqual(await readSourceRecord(folder.path));
    expect(both.pulledAt).toBe(large.pulledAt);
    expect(both.files.map(({ path }) => path)).toEqual(["tiny-Q4_K_M.gguf", "tiny-Q8_0.gguf"]);
    expect(findFileOrigin(both, "tiny-Q4_K_M.gguf")).toMatchObject({
      revision: "a".repeat(40),
      name: "tiny:latest",
    });
    expect(findFileOrigin(both, "tiny-Q8_0.gguf")).toMatchObject({ revision: "b".repeat(40), name: null });
    expect(findFileOrigin(both, "other.gguf")).toBeNull();
  });

  it("keeps where a file came from over any number of later downloads", async () => {
    for (const record of [small, large, { ...large, source: "https://example.com/x.gguf", files: [] }, large])
      await addToSourceRecord(folder.path, record);
    const record = await readSourceRecord(folder.path);
    if (record === null) throw new Error("no record");
    expect(findFileOrigin(record, "tiny-Q4_K_M.gguf")).toEqual({
      source: "acme/tiny",
      revision: "a".repeat(40),
      name: "tiny:latest",
      license: "apache-2.0",
    });
  });

  it("replaces a file that is downloaded again", async () => {
    await addToSourceRecord(folder.path, small);
    const again = { ...large, files: [{ path: "tiny-Q4_K_M.gguf", bytes: 30, sha256: null }] };
    expect((await addToSourceRecord(folder.path, again)).files).toEqual(again.files);
  });

  it.each([
    ["no JSON", "{"],
    ["another shape", "{}"],
    [
      "a path out of the folder",
      JSON.stringify({ ...small, files: [{ path: "../x", bytes: 1, sha256: null }] }),
    ],
    ["more bytes than a record has", " ".repeat(5 * 1024 * 1024)],
  ])("counts as absent when it is %s", async (_, content) => {
    await writeFile(join(folder.path, sourceRecordFile), content);
    expect(await readSourceRecord(folder.path)).toBeNull();
  });

  it("refuses to write a path out of the folder and leaves the record as it was", async () => {
    await writeSourceRecord(folder.path, small);
    const before = await readFile(join(folder.path, sourceRecordFile), "utf8");
    const outside = { ...small, files: [{ path: "a/../../x", bytes: 1, sha256: null }] };
    await expect(writeSourceRecord(folder.path, outside)).rejects.toThrow("inside the folder");
    expect(await readFile(join(folder.path, sourceRecordFile), "utf8")).toBe(before);
    expect(await readdir(folder.path)).toEqual([sourceRecordFile]);
  });
});
