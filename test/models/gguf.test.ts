import { execFileSync } from "node:child_process";
import { symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { preflightGguf } from "../../src/models/gguf.js";
import { modelBytes, modelHeader, writeModel, type ModelSpec } from "../kit/models/gguf-writer.js";
import {
  encodeHeader,
  u32,
  u64,
  type GgufEntryValue,
  type GgufTensor,
} from "../kit/models/gguf-writer/encode.js";
import { useFolder } from "./folder.js";
import { refusalOf } from "./refusal.js";

const folder = useFolder();
const refusal = (bytes: Uint8Array) => refusalOf(folder, bytes);

const withMetadata = (metadata: ModelSpec["metadata"]) => modelBytes({ metadata });
const makePipe = "mkfifo";
const uint = (value: number): GgufEntryValue => ({ type: "u32", value });

/** A tiny model with one field of the first tensor's description changed, followed by the data. */
function withTensor(change: Partial<GgufTensor>): Buffer {
  const header = modelHeader();
  const [first, ...others] = header.tensors;
  if (first === undefined) throw new Error("a model has tensors");
  return Buffer.concat([
    encodeHeader({ ...header, tensors: [{ ...first, ...change }, ...others] }),
    Buffer.alloc(200_000),
  ]);
}

describe("a valid file", () => {
  it.each([
    { architecture: "qwen3", weights: "Q8_0" },
    { architecture: "llama", weights: "F32" },
    { architecture: "qwen3", weights: "F16" },
  ] as const)("$architecture in $weights is accepted, with what it says of itself", async (spec) => {
    const result = await preflightGguf(
      await folder.write("model.gguf", modelBytes({ ...spec, contextLength: 4096 })),
    );
    const header = result.ok ? result.header : expect.fail(result.reason);
    expect(header.version).toBe(3);
    expect(header.tensorCount).toBeGreaterThan(20);
    expect(header.metadata.values.get("general.architecture")).toBe(spec.architecture);
    expect(header.metadata.values.get(`${spec.architecture}.context_length`)).toBe(4096);
    expect(header.metadata.values.get("tokenizer.chat_template")).toContain("<|im_start|>");
    expect(header.metadata.tokens?.count).toBe(header.metadata.arrayLengths.get("tokenizer.ggml.token_type"));
  });

  it("is also read as GGUF version 2", async () => {
    const bytes = modelBytes();
    bytes.writeUInt32LE(2, 4);
    expect(await preflightGguf(await folder.write("model.gguf", bytes))).toMatchObject({ ok: true });
  });

  it("is accepted with head counts per layer, some of them 0", async () => {
    const bytes = withMetadata({ "qwen3.attention.head_count": { aggregateArrays: "u32", values: [2, 0] } });
    expect(await preflightGguf(await folder.write("model.gguf", bytes))).toMatchObject({ ok: true });
  });

  it("of 150 MB with 150,000 tokens is checked by reading only its header", async () => {
    const path = join(folder.path, "large.gguf");
    const bytes = await writeModel(path, { vocabularySize: 150_000, embedding: 512, heads: 8, kvHeads: 2 });
    const result = await preflightGguf(path);
    const header = result.ok ? result.header : expect.fail(result.reason);
    expect(header.bytes).toBe(bytes);
    expect(header.metadata.tokens?.count).toBe(150_000);
  });
});

describe("C1: the structure of the file", () => {
  it("C1: an empty file and one of four bytes are rejected", async () => {
    expect(await refusal(Buffer.alloc(0))).toContain("too few for a GGUF file");
    expect(await refusal(Buffer.from("GGUF"))).toContain("it has 4 bytes");
  });

  it("C1: bad magic and a zeroed file are rejected", async () => {
    expect(await refusal(Buffer.from(`GGML${"x".repeat(100)}`))).toContain("does not begin with 'GGUF'");
    expect(await refusal(Buffer.alloc(130_000))).toContain("does not begin with 'GGUF'");
  });

  it.each([0, 1, 4, 99, 0x03000000])("C1: version %i is rejected with its number", async (version) => {
    const bytes = modelBytes();
    bytes.writeUInt32LE(version, 4);
    expect(await refusal(bytes)).toContain(`GGUF version ${version.toLocaleString("en-US")},`);
  });

  it.each([2n ** 63n, 2n ** 64n - 1n, 70_000n])(
    "C1: a claim of %s tensors or metadata entries is rejected",
    async (count) => {
      expect(await refusal(encodeHeader({ ...modelHeader(), claims: { tensors: count } }))).toMatch(
        /claims .* tensors/,
      );
      expect(await refusal(encodeHeader({ ...modelHeader(), claims: { metadata: count } }))).toMatch(
        /claims .* entries/,
      );
    },
  );

  it("C1: counts larger than the content are rejected as truncation", async () => {
    const header = { metadata: new Map(), tensors: [], claims: { metadata: 5n } };
    expect(await refusal(encodeHeader(header).subarray(0, 24))).toContain(
      "ends at byte 24, inside its header",
    );
  });

  it("C1: a file truncated anywhere in its header or data is rejected", async () => {
    const bytes = modelBytes();
    for (const part of [0.01, 0.03, 0.05, 0.1, 0.5, 0.9])
      expect(await refusal(bytes.subarray(0, Math.floor(bytes.length * part)))).toMatch(
        /truncated|file has [\d,]+ left/,
      );
  });

  it("C1: a tensor that ends after the file is rejected with its name", async () => {
    const bytes = modelBytes();
    expect(await refusal(bytes.subarray(0, bytes.length - 100))).toMatch(
      /^tensor 'output\.weight' ends at byte [\d,]+, the file has [\d,]+: it is truncated\.$/,
    );
  });

  it("C1, C11: a pipe, a folder and links to a pipe and an endless device are rejected without blocking", async () => {
    const [pipe, toPipe, toZero] = ["pipe.gguf", "to-pipe.gguf", "to-zero.gguf"].map((name) =>
      join(folder.path, name),
    ) as [string, string, string];
    execFileSync(makePipe, [pipe]);
    await symlink(pipe, toPipe);
    await symlink("/dev/zero", toZero);
    for (const path of [pipe, toPipe, toZero, folder.path])
      expect(await preflightGguf(path)).toEqual({ ok: false, reason: "it is not a regular file." });
  });

  it("C3: a missing file and a dangling link are rejected without their path", async () => {
    const link = join(folder.path, "link.gguf");
    await symlink("/nowhere/secret.gguf", link);
    expect(await preflightGguf(link)).toEqual({ ok: false, reason: "it is missing." });
    expect(await preflightGguf(join(folder.path, "none.gguf"))).toEqual({
      ok: false,
      reason: "it is missing.",
    });
  });
});

describe("C1: metadata", () => {
  const arrayOf = (type: number, count: bigint) => Buffer.concat([u32(9), u32(type), u64(count)]);

  it.each([
    [
      "a text longer than the file",
      Buffer.concat([u32(8), u64(2n ** 40n)]),
      "claims 1,099,511,627,776 bytes",
    ],
    [
      "a text of 2^64-1 bytes",
      Buffer.concat([u32(8), u64(2n ** 64n - 1n)]),
      "claims 18,446,744,073,709,552,000 bytes",
    ],
    ["an array of arrays", arrayOf(9, 1n), "array of arrays"],
    ["an array longer than the file", arrayOf(4, 2n ** 61n), "claims"],
    ["an array of texts longer than the file", arrayOf(8, 2n ** 61n), "claims"],
    ["an array of an unknown type", arrayOf(13, 1n), "unknown type 13"],
    ["an unknown type", u32(13), "unknown type 13"],
    ["a negative type", u32(0xffffffff), "unknown type 4294967295"],
  ])("C1: %s is rejected with its key", async (_, raw, expected) => {
    const reason = await refusal(withMetadata({ "x.broken": { raw } }));
    expect(reason).toContain("'x.broken'");
    expect(reason).toContain(expected);
  });

  it("C1: a key that is empty, too long or duplicated is rejected", async () => {
    expect(await refusal(withMetadata({ "": uint(1) }))).toContain("a key of 0 bytes");
    expect(await refusal(withMetadata({ ["k".repeat(2000)]: uint(1) }))).toContain("a key of 2,000 bytes");
    const bytes = withMetadata({ "twice.a": uint(1), "twice.b": uint(1) });
    bytes.write("twice.a", bytes.indexOf("twice.b"));
    expect(await refusal(bytes)).toContain("names 'twice.a' twice");
  });

  it("E16: control characters of a key do not occur in the message", async () => {
    expect(await refusal(withMetadata({ "a\u001b[31m\r\nb": { raw: u32(13) } }))).toContain("'a?[31m??b'");
  });

  it.each([0, 3, 24, 2 ** 31])("C1: alignment %i is rejected", async (alignment) => {
    expect(await refusal(withMetadata({ "general.alignment": uint(alignment) }))).toContain(
      "expected a power of two",
    );
  });

  it("C5: a chat template of more than 1 MiB is rejected", async () => {
    expect(await refusal(modelBytes({ chatTemplate: "x".repeat(1024 * 1024 + 1) }))).toContain(
      "chat template",
    );
  });
});

describe("C1: tensors", () => {
  it.each([
    ["no dimensions", { dimensions: [] }, "has 0 dimensions"],
    ["five dimensions", { dimensions: [32, 1, 1, 1, 1] }, "has 5 dimensions"],
    ["a size of 0", { dimensions: [64, 0] }, "impossible shape 64 x 0"],
    ["a size of 2^63", { dimensions: [64, 2n ** 63n] }, "impossible shape"],
    ["sizes whose product overflows", { dimensions: [2n ** 32n, 2n ** 32n] }, "impossible shape"],
    [
      "a row that is not a whole number of blocks",
      { dimensions: [33, 321] },
      "no multiple of its block of 32",
    ],
    ["an unknown type", { type: 4 }, "unknown type 4"],
    ["a negative type", { type: 0xffffffff }, "unknown type 4294967295"],
    ["an offset far away", { offset: 2n ** 63n }, "truncated"],
    [
      "an offset that overlaps nothing but leaves a gap",
      { offset: 64 },
      "starts at byte 64 of the data, expected byte 0",
    ],
  ] as const)("C1: a tensor with %s is refused with its name", async (_, change, expected) => {
    const reason = await refusal(withTensor(change));
    expect(reason).toContain("tensor 'token_embd.weight'");
    expect(reason).toContain(expected);
  });

  it("C1: a tensor name that is empty, too long or duplicated is rejected", async () => {
    expect(await refusal(withTensor({ name: "" }))).toContain("a name of 0 bytes");
    expect(await refusal(withTensor({ name: "n".repeat(64) }))).toContain("a name of 64 bytes");
    expect(await refusal(withTensor({ name: "output_norm.weight" }))).toContain(
      "two tensors named 'output_norm.weight'",
    );
  });
});

it("C1: claims in a sparse file of 64 GB cause neither allocations nor reads of that size", async () => {
  const claim = { raw: Buffer.concat([u32(9), u32(8), u64(2n ** 22n)]) };
  const header = encodeHeader({ metadata: new Map([["tokenizer.ggml.tokens", claim]]), tensors: [] });
  const path = await folder.write("sparse.gguf", header);
  await truncate(path, 64 * 1024 ** 3);
  const before = process.memoryUsage();
  expect(await preflightGguf(path)).toMatchObject({ ok: false });
  const after = process.memoryUsage();
  expect(after.rss - before.rss).toBeLessThan(64 * 1024 ** 2);
});
