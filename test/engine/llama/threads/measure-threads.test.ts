import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureThreads, type ThreadTrial } from "../../../../src/engine/llama/threads/measure-threads.js";
import { candidatesFor, chooseBatchThreads } from "../../../../src/engine/llama/threads/thread-plan.js";
import { casesOf } from "../../../kit/setup/random-cases.js";

/** A trial on a machine where a batch takes as long as `msOf` says; time passes only in batches. */
function trialOf(
  msOf: (tokens: number, threads: number) => number,
  changes: Partial<ThreadTrial> = {},
): { readonly trial: ThreadTrial; readonly batches: () => number; readonly elapsedMs: () => number } {
  let now = 0;
  let batches = 0;
  const trial: ThreadTrial = {
    cores: 8,
    weightsBytes: 24_000_000,
    batchTokensMax: 128,
    evaluate(tokens, threads) {
      now += msOf(tokens, threads);
      batches += 1;
      return Promise.resolve();
    },
    now: () => now,
    ...changes,
  };
  return { trial, batches: () => batches, elapsedMs: () => now };
}

describe("a trial of threads", () => {
  it("finds the number of threads that is fastest for each size of a batch", async () => {
    // Work that divides evenly, and a barrier that each further thread makes dearer.
    const { trial } = trialOf((tokens, threads) => tokens / threads + threads * 0.25);
    expect(await measureThreads(trial)).toEqual([
      { tokens: 1, threads: 2 },
      { tokens: 4, threads: 4 },
      { tokens: 16, threads: 8 },
      { tokens: 64, threads: 8 },
    ]);
  });

  it("chooses one thread where a token takes less than half a millisecond", async () => {
    const { trial } = trialOf((tokens, threads) => (0.01 * tokens) / threads);
    expect(await measureThreads(trial)).toEqual([
      { tokens: 1, threads: 1 },
      { tokens: 4, threads: 1 },
      { tokens: 16, threads: 1 },
      { tokens: 64, threads: 8 },
    ]);
  });

  it("leaves a core for what samples and sends the tokens where a batch on all cores waits for that", async () => {
    const waiting = trialOf(
      (tokens, threads) => (threads === 1 ? tokens * 1.4 : (tokens * 1.4) / 1.6 + 0.5),
      {
        cores: 2,
      },
    );
    expect((await measureThreads(waiting.trial))?.map(({ threads }) => threads)).toEqual([1, 2, 2, 2]);
    const hardly = trialOf((tokens, threads) => (threads === 1 ? tokens * 1.4 : (tokens * 1.4) / 1.6 + 0.2), {
      cores: 2,
    });
    expect((await measureThreads(hardly.trial))?.[0]).toEqual({ tokens: 1, threads: 2 });
  });

  it("does not use more threads than gain a tenth of the time", async () => {
    const { trial } = trialOf((tokens, threads) => tokens * (threads === 1 ? 1 : 0.95));
    expect(await measureThreads(trial)).toEqual([1, 4, 16, 64].map((tokens) => ({ tokens, threads: 1 })));
  });

  it("finds nothing beside other work: times that scatter say nothing about the model", async () => {
    let turn = 0;
    const { trial } = trialOf(() => ((turn += 1) % 3 === 0 ? 1 : 100));
    expect(await measureThreads(trial)).toBeNull();
  });

  it("takes all cores for a large model that a second does not suffice to measure", async () => {
    const { trial, elapsedMs } = trialOf((tokens, threads) => (tokens * 3200) / threads, {
      weightsBytes: 8_000_000_000,
    });
    expect(await measureThreads(trial)).toEqual([
      { tokens: 1, threads: 8 },
      { tokens: 4, threads: 8 },
    ]);
    expect(elapsedMs()).toBeLessThanOrEqual(1200);
  });

  it("uses fewer threads of a large model where memory is the limit", async () => {
    const bandwidth = (_tokens: number, threads: number): number => 40 / Math.min(threads, 4);
    const { trial } = trialOf(bandwidth, { cores: 16, weightsBytes: 500_000_000 });
    const plan = await measureThreads(trial);
    expect(plan?.[0]).toEqual({ tokens: 1, threads: 4 });
  });

  it("measures no batch that is larger than the model evaluates", async () => {
    const { trial } = trialOf(() => 1, { batchTokensMax: 32 });
    expect((await measureThreads(trial))?.map(({ tokens }) => tokens)).toEqual([1, 4, 16]);
  });

  it("ends within a second and the batch that began in it, and uses between one thread and all cores", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 16_000_000, max: 100_000_000_000 }),
        fc.infiniteStream(fc.double({ min: 0.01, max: 900, noNaN: true })),
        async (cores, weightsBytes, times) => {
          const next = (): number => times.next().value as number;
          const { trial, elapsedMs } = trialOf(next, { cores, weightsBytes });
          const plan = await measureThreads(trial);
          expect(elapsedMs()).toBeLessThan(1000 + 2 * 900);
          for (const { threads } of plan ?? []) expect(candidatesFor(cores, true)).toContain(threads);
        },
      ),
      { numRuns: casesOf(200) },
    );
  });
});

describe("a plan of threads", () => {
  it("gives a batch the threads of the largest measured size that it reaches", () => {
    const plan = [
      { tokens: 1, threads: 1 },
      { tokens: 8, threads: 2 },
      { tokens: 64, threads: 4 },
    ];
    expect([1, 7, 8, 63, 64, 512].map((tokens) => chooseBatchThreads(plan, tokens))).toEqual([
      1, 1, 2, 2, 4, 4,
    ]);
  });

  it("tries the powers of two and all cores", () => {
    expect(candidatesFor(1, true)).toEqual([1]);
    expect(candidatesFor(6, true)).toEqual([1, 2, 4, 6]);
    expect(candidatesFor(8, false)).toEqual([8, 4, 2, 1]);
  });
});
