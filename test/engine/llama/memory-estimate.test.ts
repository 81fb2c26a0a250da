import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextInMemory, memoryEstimate } from "../../../src/engine/llama/load/memory-estimate.js";
import type { LlamaSettings } from "../../../src/engine/llama/protocol.js";
import { ember } from "../../kit/scripted/ember.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const settings: LlamaSettings = {
  cores: 1,
  threads: null,
  nativeFolder: null,
  keepsThreads: false,
  imageTokensMax: null,
  threadPlansFile: null,
  slotsPerModel: 4,
  contextTokensMax: Number.MAX_SAFE_INTEGER,
  prefillChunkTokens: null,
  tokenGapMsMax: 500,
  prefixCacheFolder: null,
  prefixCacheBytesMax: 0,
  prefixMemoryBytesMax: 0,
  kvCacheType: "f16",
  flashAttention: "auto",
  forcedTokens: "on",
  promptLookup: "auto",
  gpu: "off",
};
const gigabyte = 1e9;
/** As an 8 B model in 4 bits. */
const large = { bytes: 4.9 * gigabyte, kvBytesPerToken: 131_072, trainedTokens: 131_072 };

describe("the context by default", () => {
  it("is what the model was trained with where half of the memory suffices, and shorter where it does not", () => {
    expect(contextInMemory(large, settings, 1000 * gigabyte)).toBe(131_072);
    expect(contextInMemory(large, settings, 64 * gigabyte)).toBe(39_936);
    expect(contextInMemory(large, { ...settings, kvCacheType: "q8_0" }, 64 * gigabyte)).toBeGreaterThan(
      70_000,
    );
    expect(contextInMemory(large, settings, 16 * gigabyte)).toBe(8192);
    expect(contextInMemory({ ...large, trainedTokens: 2048 }, settings, 16 * gigabyte)).toBe(2048);
  });

  it("fits in the memory wherever 1,024 tokens do, and grows with the memory", () => {
    const cost = fc.record({
      bytes: fc.integer({ min: 1e6, max: 2e9 }),
      kvBytesPerToken: fc.integer({ min: 0, max: 1_000_000 }),
      trainedTokens: fc.integer({ min: 1024, max: 1_000_000 }),
    });
    const memory = fc.integer({ min: 1e9, max: 2e9 }).map((bytes) => bytes * 50);
    fc.assert(
      fc.property(cost, memory, fc.nat({ max: 60 }), ({ bytes, ...size }, most, divisor) => {
        const memoryBytes = most / (divisor + 1);
        const estimate = (contextTokens: number): number => {
          const manifest = { ...ember.manifest, bytes, contextTokens };
          return memoryEstimate({ ...ember, kvBytesPerToken: size.kvBytesPerToken, manifest }, settings);
        };
        const tokens = contextInMemory({ bytes, ...size }, settings, memoryBytes);
        expect(tokens).toBeLessThanOrEqual(size.trainedTokens);
        if (estimate(1024) <= memoryBytes) expect(estimate(tokens)).toBeLessThanOrEqual(memoryBytes);
        expect(contextInMemory({ bytes, ...size }, settings, memoryBytes * 2)).toBeGreaterThanOrEqual(tokens);
      }),
      { numRuns: casesOf(2000) },
    );
  });
});
