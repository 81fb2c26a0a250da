/** What the compiled library adds to the engine: copies of sequences in memory, evaluations that end early, assertions that are errors. */
import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { expectSameUpToRounding } from "../../kit/rounding.js";
import {
  compared,
  jobOf,
  missingNative,
  promptOf,
  residentWithEightSlots,
  slots,
  startLoop,
  storeIn,
} from "./lockstep.js";

const name = `the compiled library${missingNative === null ? "" : ` (not run: ${missingNative})`}`;

describe.runIf(missingNative === null)(name, () => {
  it("C1: makes the first model of a process, over which llama.cpp asserts, an error of its load, and others go on", async () => {
    const heads = { "qwen3.attention.head_count_kv": { aggregateArrays: "u32", values: [1, 2] } } as const;
    await expect(residentWithEightSlots(temporaryFolder(), { metadata: heads })).rejects.toThrow();
    const resident = await residentWithEightSlots();
    const { loop, done } = startLoop();
    loop.submit(resident, 1, jobOf(promptOf(0, 20), 2));
    expect((await done(1)).finished).toBe(true);
  });

  it("copies what one slot has evaluated of a prompt to the others that wait for it, without a file", async () => {
    const resident = await residentWithEightSlots();
    const { loop, done } = startLoop();
    const prompt = promptOf(0, 300);
    for (const job of [1, 2, 3, 4]) loop.submit(resident, job, jobOf(prompt, 3, compared));
    const ends = [];
    for (const job of [1, 2, 3, 4]) ends.push(await done(job));
    expect(ends.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 299, 299, 299]);
    loop.submit(resident, 5, jobOf(prompt, 3, { ...compared, deterministic: true }));
    const fresh = await done(5);
    for (const { logprobs } of ends) expectSameUpToRounding(logprobs, fresh.logprobs);
  });

  it("copies a prefix from a slot that decodes, and never from another team or what must leave no trace", async () => {
    const resident = await residentWithEightSlots();
    const { loop, until, updatesOf, done } = startLoop();
    const decodes = (job: number): boolean =>
      updatesOf(job).some(({ events }) => events.some(({ type }) => type === "text-delta"));
    loop.submit(resident, 1, jobOf(promptOf(0, 200), 300));
    await until(() => decodes(1));
    loop.submit(resident, 2, jobOf([...promptOf(0, 150), ...promptOf(3, 21).slice(1)], 2));
    expect((await done(2)).cachedTokens).toBe(150);
    loop.submit(resident, 3, jobOf(promptOf(0, 200), 2, { teamId: "another" }));
    expect((await done(3)).cachedTokens).toBe(0);
    loop.cancel(1);
    await done(1);
    loop.submit(resident, 4, jobOf(promptOf(5, 200), 300, { ephemeral: true }));
    await until(() => decodes(4));
    loop.submit(resident, 5, jobOf(promptOf(5, 200), 2));
    expect((await done(5)).cachedTokens).toBe(0);
  });

  it("writes a state that lost its slot back from memory, within the limit, for its team alone, as if it had been evaluated", async () => {
    const folder = join(temporaryFolder(), "cache");
    const resident = await residentWithEightSlots();
    const ask = async (loop: ReturnType<typeof startLoop>, job: number, teamId: string, changes = {}) => {
      loop.loop.submit(resident, job, jobOf(promptOf(job % 10, 300), 3, { ...compared, teamId, ...changes }));
      return loop.done(job);
    };
    const probe = storeIn(join(temporaryFolder(), "cache"), { memoryBytesMax: 100_000_000 });
    const first = startLoop(probe);
    await ask(first, 0, "a");
    await first.loop.drain();
    const one = probe.bytesInMemory;
    expect(one).toBeGreaterThan(0);

    const store = storeIn(folder, { memoryBytesMax: Math.floor(one * 2.5) });
    const loop = startLoop(store);
    await ask(loop, 1, "a");
    // All slots get prompts of others: what the first one held is stored.
    for (let job = 100; job < 100 + slots; job += 1) await ask(loop, job, `team ${job}`);
    expect(store.bytesInMemory).toBeGreaterThan(0);
    for (const name of readdirSync(folder))
      if (name.endsWith(".state")) truncateSync(join(folder, name), 100);
    const warm = await ask(loop, 11, "a");
    expect(warm.cachedTokens).toBe(299);
    expectSameUpToRounding(warm.logprobs, (await ask(loop, 21, "a", { deterministic: true })).logprobs);
    expect((await ask(loop, 31, "b")).cachedTokens).toBe(0);
    for (let job = 200; job < 200 + 3 * slots; job += 1) {
      await ask(loop, job, `other ${job}`);
      expect(store.bytesInMemory).toBeLessThanOrEqual(one * 2.5);
    }
    expect((await ask(loop, 41, "a")).cachedTokens).toBe(0);
  });

  it("ends the evaluation of a prompt whose client has left, within the batch, and keeps what the slot held", async () => {
    const wide = { layers: 4, embedding: 512, heads: 8, kvHeads: 4, feedForward: 2048 };
    const resident = await residentWithEightSlots(temporaryFolder(), wide);
    const { loop, updatesOf, until, done } = startLoop();
    loop.submit(resident, 1, jobOf(promptOf(0, 64), 1));
    await done(1);
    // Nothing else is running, so that one batch has all of it.
    loop.submit(resident, 2, jobOf(promptOf(0, 480), 50));
    await until(() => updatesOf(2).length > 0);
    loop.cancel(2);
    expect((await done(2)).finished).toBe(false);
    const cut = updatesOf(2)
      .flatMap(({ events }) => events)
      .find(({ type }) => type === "prompt-cut");
    expect(cut).toMatchObject({ evaluatedTokens: 64 });
    loop.submit(resident, 3, jobOf(promptOf(0, 480), 3, compared));
    const warm = await done(3);
    expect(warm.cachedTokens).toBe(64);
    loop.submit(resident, 4, jobOf(promptOf(0, 480), 3, { ...compared, deterministic: true }));
    expectSameUpToRounding(warm.logprobs, (await done(4)).logprobs);
  });
});
