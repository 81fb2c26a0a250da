import { expect, it } from "vitest";
import { jobOf, promptOf, residentWithEightSlots, slots, startLoop } from "../lockstep.js";

/** A prompt that shares only its first token with prompts of other kinds. */
const promptTokens = 100;

async function startEightSlots() {
  const resident = await residentWithEightSlots();
  const { loop, done } = startLoop();
  let job = 0;
  return {
    /** Runs a prompt to its end. @returns how many of its tokens were cached */
    ask: async (kind: number, changes: { readonly teamId?: string; readonly cacheKey?: string } = {}) => {
      loop.submit(resident, ++job, jobOf(promptOf(kind, promptTokens), 2, changes));
      const { cachedTokens, error } = await done(job);
      expect(error).toBeNull();
      return cachedTokens;
    },
  };
}

const whole = promptTokens - 1;
const rounds = 3;

it.each([
  ["two interleaved keys overwrite only their own slots, and other conversations go on in theirs", true],
  ["without keys the same prompts overwrite all other conversations", false],
])("%s", async (_, hasKeys) => {
  const { ask } = await startEightSlots();
  const others = Array.from({ length: slots - 2 }, (__, at) => at);
  for (const kind of others) expect(await ask(kind)).toBeLessThanOrEqual(1);
  const keys = hasKeys ? [{ cacheKey: "a" }, { cacheKey: "b" }] : [{}, {}];
  let kind = others.length;
  for (let round = 0; round <= rounds; round += 1)
    for (const key of keys) {
      expect(await ask(kind, key)).toBeLessThanOrEqual(1);
      // The next turn of the conversation goes on where the last one ended.
      expect(await ask(kind, key)).toBe(whole);
      kind += 1;
    }
  for (const [at, key] of keys.entries()) expect(await ask(kind - 2 + at, key)).toBe(whole);
  const kept: number[] = [];
  for (const other of others) kept.push(await ask(other));
  for (const cached of kept)
    if (hasKeys) expect(cached).toBe(whole);
    else expect(cached).toBeLessThanOrEqual(1);
});

it.each([
  ["overwrites the slot that its key used last, though others are unused for longer", "team", [true, false]],
  ["has no influence by its key on a slot of another team with an equal one", "another", [false, true]],
])("a new prompt %s", async (_, teamId, kept) => {
  const { ask } = await startEightSlots();
  for (let kind = 0; kind < slots - 1; kind += 1) await ask(kind);
  const last = slots - 1;
  await ask(last, { teamId, cacheKey: "k" });
  expect(await ask(slots, { cacheKey: "k" })).toBeLessThanOrEqual(1);
  const cached = [await ask(0), await ask(last, { teamId })];
  expect(cached.map((tokens) => tokens === whole)).toEqual(kept);
});

it("a slot that a prompt without a key used last belongs to no key any more", async () => {
  const { ask } = await startEightSlots();
  for (let kind = 0; kind < slots; kind += 1) await ask(kind, { cacheKey: "k" });
  // They continue prompts of the key in its slots. Only the first slot is left to it, which is the last that was used.
  for (let kind = 1; kind < slots; kind += 1) expect(await ask(kind)).toBe(whole);
  expect(await ask(0, { cacheKey: "k" })).toBe(whole);
  await ask(slots, { cacheKey: "k" });
  expect([await ask(1), await ask(0)].map((tokens) => tokens === whole)).toEqual([true, false]);
});
