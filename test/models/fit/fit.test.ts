import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitsInto } from "../../../src/doctor/model-fit.js";
import { listPatterns } from "../../../src/engine/native/placement.js";
import { measureBandwidth } from "../../../src/models/fit/bandwidth.js";
import { freeMemoryBytes } from "../../../src/models/fit/free-memory.js";
import { bytesPerDecodedToken, tokensPerSecond } from "../../../src/models/fit/speed.js";
import { judgeFit, judgeSize } from "../../../src/models/fit/verdict.js";
import { readDetails } from "../../../src/models/library/details.js";
import { systemClock } from "../../../src/system/clock.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeModel } from "../../kit/models/gguf-writer.js";

const workerUrl = new URL("../../../dist/models/fit/worker.js", import.meta.url);

describe("the verdict", () => {
  const needs = (tokens: number, isSmallCache: boolean): number => 1000 + tokens * (isSmallCache ? 1 : 2);
  it.each([
    [4096, 9192, "fits", 4096, 4096],
    [4096, 9191, "fits with a shorter context", 3072, 4096],
    [4096, 3048, "fits with a shorter context", 1024, 2048],
    [4096, 3047, "does not fit", null, 1024],
    [4096, 999, "does not fit", null, null],
    [100, 1200, "fits", 100, 100],
    [100, 1199, "does not fit", null, 100],
  ])(
    "of %d tokens with %d bytes is: %s",
    (contextTokens, availableBytes, verdict, tokens, tokensSmallCache) => {
      expect(judgeFit({ contextTokens, fits: (bytes) => bytes <= availableBytes, needs })).toEqual({
        verdict,
        neededBytes: 1000 + 2 * contextTokens,
        fittingTokens: tokens,
        fittingTokensSmallCache: tokensSmallCache,
      });
    },
  );

  it("of a size counts memory for buffers and a context, too", () => {
    expect(judgeSize(800, 1000)).toEqual({ verdict: "fits", neededBytes: 1000 });
    expect(judgeSize(801, 1000)).toMatchObject({ verdict: "does not fit" });
  });
});

describe("a model whose experts stay in main memory beside a GPU", () => {
  const gpu = { device: "cuda", totalBytes: 900, freeBytes: 600 };
  const memory = {
    availableBytes: 1500,
    limitBytes: 2000,
    freeBytes: 900,
    idleModelBytes: 0,
    usedModelBytes: 0,
    gpu,
  };

  it("fits where each memory has room for its part, and not where only their sum has it", () => {
    expect(fitsInto(memory, 1500, 0)).toBe(true);
    expect(fitsInto(memory, 1500, 900)).toBe(true);
    expect(fitsInto(memory, 1500, 899)).toBe(false);
    expect(fitsInto(memory, 1500, 901)).toBe(false);
    expect(fitsInto({ ...memory, idleModelBytes: 1 }, 1500, 901)).toBe(true);
    expect(fitsInto({ ...memory, gpu: null }, 1500, 901)).toBe(true);
    expect(fitsInto(memory, 1501, 900)).toBe(false);
  });

  it("has their bytes counted from the names in its file, as llama.cpp places them", async () => {
    const path = join(temporaryFolder(), "experts.gguf");
    await writeModel(path, { architecture: "qwen3moe", layers: 3 });
    const model = { manifest: { kind: "chat", sha256: null }, path } as Parameters<typeof readDetails>[0];
    const count = async (placement: Parameters<typeof listPatterns>[0]): Promise<number> => {
      const patterns = listPatterns(placement).map((pattern) => new RegExp(pattern));
      return (await readDetails(model, patterns)).tensors?.namedBytes ?? 0;
    };
    const { expertBytes = 0, bytes = 0 } = (await readDetails(model)).tensors ?? {};
    expect(expertBytes).toBeGreaterThan(0);
    expect(await count({})).toBe(0);
    expect(await count({ cpuExperts: "all" })).toBe(expertBytes);
    expect(await count({ cpuExperts: 1 })).toBe(expertBytes / 3);
    expect(await count({ cpuExperts: "all", cpuTensors: ["."] })).toBe(bytes);
  });
});

describe("free memory", () => {
  const files = {
    "/proc/meminfo": "MemTotal:       4000 kB\nMemAvailable:   3000 kB\n",
    "/sys/fs/cgroup/memory.current": "2048000\n",
    "/sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 1024000\n",
  };
  const read = (path: string): string | null => files[path as keyof typeof files];

  it("is what the system can give, or what the limit of the container leaves without cached files", () => {
    expect(freeMemoryBytes(0, read)).toBe(3_072_000);
    expect(freeMemoryBytes(4_096_000, read)).toBe(3_072_000);
    expect(freeMemoryBytes(2_048_000, read)).toBe(1_024_000);
    expect(freeMemoryBytes(512_000, read)).toBe(0);
    expect(freeMemoryBytes(4096, () => null)).toBeGreaterThan(4096);
  });
});

describe("the speed", () => {
  const tensors = {
    parameters: 1,
    bytes: 1000,
    expertBytes: 800,
    namedBytes: 0,
    embeddingBytes: 100,
    hasOutput: true,
  };

  it("counts the weights that a token reads: without the table of embeddings, and the experts in use only", async () => {
    const details = await readDetails({
      manifest: { kind: "image", sha256: null },
      path: "/nowhere/x",
    } as Parameters<typeof readDetails>[0]);
    expect(bytesPerDecodedToken(details)).toBe(null);
    expect(bytesPerDecodedToken({ ...details, tensors })).toBe(900);
    expect(bytesPerDecodedToken({ ...details, tensors: { ...tensors, hasOutput: false } })).toBe(1000);
    expect(bytesPerDecodedToken({ ...details, tensors, experts: { count: 8, used: 2 } })).toBe(300);
  });

  it("follows from the bandwidth of memory, which is measured", async () => {
    // How much it is depends on what else the machine does.
    const bandwidth = await measureBandwidth(2, { clock: systemClock, workerUrl });
    expect(bandwidth).toBeGreaterThan(0);
    expect(bandwidth).toBeLessThan(1e13);
    expect(tokensPerSecond(1e9, 20e9)).toBeCloseTo(15.9, 1);
    expect(tokensPerSecond(2e9, 20e9)).toBeLessThan(tokensPerSecond(1e9, 20e9));
  });

  it("is not known when the threads cannot start", async () => {
    const missing = new URL("no-such-worker.js", workerUrl);
    expect(await measureBandwidth(1, { clock: systemClock, workerUrl: missing })).toBe(null);
  });
});
