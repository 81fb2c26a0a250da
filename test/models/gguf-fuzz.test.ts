import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureCpuMs } from "../kit/cpu-time.js";
import { preflightGguf } from "../../src/models/gguf.js";
import { encodeHeader, paddingOf } from "../kit/models/gguf-writer/encode.js";
import { modelBytes, modelHeader } from "../kit/models/gguf-writer.js";
import { useFolder } from "./folder.js";

const folder = useFolder();
const good = modelBytes();
const header = modelHeader();
const headerBytes = encodeHeader(header).length;
/** The padding of the last tensor is optional: a file may end before it. */
const bytesDue = good.length - paddingOf(header.tensors.at(-1)?.bytes ?? 0);

/** Reads a file and returns the CPU time and the memory it took; rejects if the reader throws. */
async function measureRead(
  bytes: Uint8Array,
): Promise<{ readonly cpuMs: number; readonly memoryBytes: number }> {
  const path = await folder.write("fuzzed.gguf", bytes);
  const before = process.memoryUsage();
  const cpuMs = await measureCpuMs(async () => {
    const result = await preflightGguf(path);
    if (!result.ok) expect(result.reason).toMatch(/^[\x20-\x7e]{1,300}\.$/);
  });
  const after = process.memoryUsage();
  return { cpuMs, memoryBytes: after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers };
}

describe("C1: a damaged header", () => {
  it("C11: never makes the reader throw, hang or allocate, whatever bits are flipped, bytes are changed and end is cut off", async () => {
    const places = fc.array(fc.tuple(fc.nat(headerBytes - 1), fc.nat(255)), { minLength: 1, maxLength: 12 });
    const length = fc.oneof(fc.constant(good.length), fc.nat(good.length));
    await fc.assert(
      fc.asyncProperty(places, fc.boolean(), length, async (edits, isFlip, bytesKept) => {
        const bytes = Buffer.from(good.subarray(0, bytesKept));
        for (const [at, value] of edits)
          if (at < bytesKept) bytes[at] = isFlip ? bytes.readUInt8(at) ^ (1 << (value % 8)) : value;
        const { cpuMs, memoryBytes } = await measureRead(bytes);
        expect(cpuMs).toBeLessThan(1_000);
        expect(memoryBytes).toBeLessThan(64 * 1024 ** 2);
      }),
      { numRuns: 500 },
    );
  });

  it("is always rejected if the file is truncated", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytesDue - 1), async (length) => {
        const path = await folder.write("cut.gguf", good.subarray(0, length));
        expect(await preflightGguf(path)).toMatchObject({ ok: false });
      }),
      { numRuns: 150 },
    );
  });

  it("never makes the reader throw, hang or allocate, whatever a length claims", async () => {
    const places = [
      8,
      16,
      24,
      good.indexOf("tokenizer.ggml.tokens") + 25,
      good.indexOf("token_embd.weight") - 8,
    ];
    const lengths = fc.oneof(
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.bigInt(0n, 2n ** 32n),
      fc.bigInt(0n, BigInt(good.length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), lengths, async (place, length) => {
        const bytes = Buffer.from(good);
        bytes.writeBigUInt64LE(length, place);
        const { cpuMs, memoryBytes } = await measureRead(bytes);
        expect(cpuMs).toBeLessThan(1_000);
        expect(memoryBytes).toBeLessThan(64 * 1024 ** 2);
      }),
      { numRuns: 200 },
    );
  });
});
