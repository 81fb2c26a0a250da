import { describe, expect, it } from "vitest";
import { recordBatches } from "./batches.js";
import { jobOf, promptOf, residentWithEightSlots, slots, startLoop } from "./lockstep.js";

describe("the lock-step loop (a contract with the library: an upgrade must not lose it)", () => {
  it("decodes eight generations as batches of eight, in ascending sequence order", async () => {
    const resident = await residentWithEightSlots();
    const batches = recordBatches(resident);
    const { loop, done } = startLoop();
    for (let job = 0; job < slots; job++) loop.submit(resident, job, jobOf(promptOf(job, 8 + job), 40));
    for (let job = 0; job < slots; job++) expect((await done(job)).error).toBeNull();
    const decodes = batches.filter((batch) => batch.every((item) => item.tokens === 1));
    const full = decodes.filter((batch) => batch.length === slots);
    expect(full.length).toBeGreaterThanOrEqual(10);
    // A running generation is in every batch.
    for (let sequence = 0; sequence < slots; sequence++) {
      const inBatch = decodes.map((batch) => batch.some((item) => item.sequence === sequence));
      const [first, last] = [inBatch.indexOf(true), inBatch.lastIndexOf(true)];
      expect(inBatch.slice(first, last + 1)).not.toContain(false);
    }
    for (const batch of decodes) {
      const order = batch.map((item) => item.sequence);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it("places generations in adjacent slots, also in slots that were used before", async () => {
    const resident = await residentWithEightSlots();
    const { loop, done } = startLoop();
    const noPreference = { teamId: "another" };
    for (let job = 0; job < slots; job++)
      loop.submit(resident, job, jobOf(promptOf(job, 8 + job), 3 + ((job * 5) % 8)));
    for (let job = 0; job < slots; job++) await done(job);
    const batches = recordBatches(resident);
    for (let job = 10; job < 14; job++) loop.submit(resident, job, jobOf(promptOf(job, 9), 20, noPreference));
    for (let job = 10; job < 14; job++) await done(job);
    const shared = batches
      .filter((batch) => batch.length === 4)
      .map((batch) => batch.map((item) => item.sequence));
    expect(shared.length).toBeGreaterThan(0);
    for (const [first = 0, ...rest] of shared) expect(rest).toEqual([first + 1, first + 2, first + 3]);
  });

  it("evaluates a long prompt in chunks, and every chunk leaves a decoding generation its token", async () => {
    const resident = await residentWithEightSlots();
    const batches = recordBatches(resident);
    const { loop, done } = startLoop();
    loop.submit(resident, 0, jobOf(promptOf(0, 8), 60));
    loop.submit(resident, 1, jobOf(promptOf(1, 400), 4));
    await Promise.all([done(0), done(1)]);
    const sizes = batches.map((batch) => batch.reduce((sum, item) => sum + item.tokens, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 + slots);
    const chunks = batches.filter((batch) => batch.some((item) => item.tokens > 1 && item.sequence !== 0));
    expect(chunks.length).toBeGreaterThanOrEqual(6);
    for (const batch of chunks.slice(1)) expect(batch.some((item) => item.sequence === 0)).toBe(true);
  });
});
