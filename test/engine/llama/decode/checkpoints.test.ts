import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../kit/folder.js";
import { expectSameUpToRounding } from "../../../kit/rounding.js";
import { compared, jobOf, promptOf, residentWithEightSlots, slots, startLoop, storeIn } from "../lockstep.js";

describe.each(["gemma3", "lfm2"] as const)(
  "the prefix cache of %s, not all of whose layers keep every token",
  (architecture) => {
    const cacheFolder = (): string => join(temporaryFolder(), "cache");

    it("continues a conversation from the end of its last prompt at the latest, and what it keeps changes nothing", async () => {
      const resident = await residentWithEightSlots(undefined, { architecture, layers: 4 });
      const { loop, done } = startLoop(storeIn(cacheFolder()));
      let job = 0;
      const ask = async (tokens: readonly number[], changes = {}) => {
        loop.submit(resident, ++job, jobOf(tokens, 6, { ...compared, ...changes }));
        return done(job);
      };
      const first = promptOf(0, 200);
      await ask(first);
      // The answer is rendered otherwise than it was sampled, and the last tokens of the prompt as well.
      for (const [kept, more] of [
        [200, 60],
        [190, 60],
        [100, 30],
        [200, 1],
      ] as const) {
        const next = [...first.slice(0, kept), ...promptOf(8, more)];
        const warm = await ask(next);
        expect(warm.error).toBeNull();
        if (kept >= 190) expect(warm.cachedTokens).toBeGreaterThanOrEqual(first.length - 16);
        const fresh = await ask(next, { deterministic: true });
        expect(fresh.cachedTokens).toBe(0);
        expectSameUpToRounding(warm.logprobs, fresh.logprobs);
        await ask(first);
      }
    });

    it("survives a restart", async () => {
      const [models, folder] = [temporaryFolder(), cacheFolder()];
      const prompt = promptOf(0, 300);
      const ask = async (tokens: readonly number[], maxTokens: number) => {
        const resident = await residentWithEightSlots(models, { architecture, layers: 4 });
        const { loop, done } = startLoop(storeIn(folder));
        loop.submit(resident, 1, jobOf(tokens, maxTokens, compared));
        loop.submit(resident, 2, jobOf(tokens, maxTokens, { ...compared, deterministic: true }));
        const outcomes = [await done(1), await done(2)] as const;
        await loop.drain();
        return outcomes;
      };
      await ask(prompt, 1);
      const [warm, fresh] = await ask([...prompt, ...promptOf(8, 20)], 3);
      expect(warm.cachedTokens).toBe(prompt.length);
      expectSameUpToRounding(warm.logprobs, fresh.logprobs);
    });
  },
);

describe("the prefix cache of a recurrent model", () => {
  it("F9: of a stored state never has the checkpoint of the team that had the slot before", async () => {
    const resident = await residentWithEightSlots(undefined, { architecture: "lfm2" });
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done } = startLoop(store);
    const ask = async (job: number, tokens: readonly number[], changes = {}) => {
      loop.submit(resident, job, jobOf(tokens, 3, { ...compared, ...changes }));
      return done(job);
    };
    const first = promptOf(0, 300);
    await ask(0, first);
    for (let other = 1; other <= slots; other++)
      await ask(other, promptOf(other, 260), { teamId: "another" });
    const next = [...first, ...promptOf(6, 20)];
    const warm = await ask(10, next);
    // Two sampled tokens of the stored state would have to be removed, which only a checkpoint of its own allows.
    expect(warm.cachedTokens).toBe(0);
    const fresh = await ask(11, next, { deterministic: true });
    expectSameUpToRounding(warm.logprobs, fresh.logprobs);
  });
});
