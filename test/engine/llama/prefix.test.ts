import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { distance, expectSameUpToRounding, roundingNats } from "../../kit/rounding.js";
import { compared, jobOf, promptOf, residentWithEightSlots, slots, startLoop, storeIn } from "./lockstep.js";

/** Almost never ends its turn early. */
const hot = {
  temperature: 2,
  topP: 1,
  seed: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  topK: null,
  minP: 0,
  logitBias: {},
};

describe("the prefix cache", () => {
  it("over any history of prompts: prompt = cached + evaluated, and a cached prefix changes log probabilities by rounding alone", async () => {
    const resident = await residentWithEightSlots();
    const { loop, done } = startLoop();
    let job = 0;
    const ask = async (tokens: readonly number[], changes = {}) => {
      loop.submit(resident, ++job, jobOf(tokens, 3, { ...compared, ...changes }));
      return done(job);
    };
    const prompt = fc.tuple(
      fc.nat({ max: 2 }),
      fc.integer({ min: 2, max: 150 }),
      fc.nat({ max: 2 }),
      fc.nat({ max: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(
        prompt,
        fc.constantFrom("a", "b"),
        async ([kind, length, tail, tailLength], teamId) => {
          const tokens = [...promptOf(kind, length), ...promptOf(tail + 7, tailLength)];
          const warm = await ask(tokens, { teamId });
          const again = await ask(tokens, { teamId });
          expect(warm.promptTokens).toBe(tokens.length);
          expect(warm.cachedTokens).toBeLessThan(tokens.length);
          expect(again.cachedTokens).toBe(tokens.length - 1);
          const fresh = await ask(tokens, { teamId, deterministic: true });
          expect(fresh.cachedTokens).toBe(0);
          expectSameUpToRounding(warm.logprobs, fresh.logprobs);
          expectSameUpToRounding(again.logprobs, fresh.logprobs);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("F9: never lets one team continue on another's prompt, in 20 rounds of all slots at once", async () => {
    const resident = await residentWithEightSlots();
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done } = startLoop(store);
    let job = 0;
    for (let round = 0; round < 20; round++) {
      const tokens = promptOf(round % 3, 200);
      const jobs = Array.from({ length: slots }, (_, index) => {
        loop.submit(resident, ++job, jobOf(tokens, 2, { teamId: `team ${round} ${index}` }));
        return job;
      });
      for (const id of jobs) expect((await done(id)).cachedTokens).toBe(0);
    }
  });

  it("restores a long prefix that lost its slot", async () => {
    const resident = await residentWithEightSlots();
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done } = startLoop(store);
    const long = promptOf(0, 300);
    loop.submit(resident, 0, jobOf(long, 4, compared));
    const cold = await done(0);
    for (let other = 1; other <= slots; other++) {
      loop.submit(resident, other, jobOf(promptOf(other, 200), 2, { teamId: "another" }));
      await done(other);
    }
    loop.submit(resident, 99, jobOf(long, 4, compared));
    const warm = await done(99);
    expect(warm.cachedTokens).toBe(long.length - 1);
    expectSameUpToRounding(warm.logprobs, cold.logprobs);
  });

  it("is not read where that takes longer than evaluating, until reading may have become faster", async () => {
    const resident = await residentWithEightSlots();
    let hours = 0;
    const store = storeIn(join(temporaryFolder(), "cache"), { now: () => 3_600_000 * hours++ });
    const { loop, done } = startLoop(store);
    let job = 0;
    const long = promptOf(0, 300);
    const ask = async (tokens: readonly number[], teamId: string): Promise<number> => {
      loop.submit(resident, ++job, jobOf(tokens, 2, { teamId }));
      return (await done(job)).cachedTokens;
    };
    const afterOthers = async (): Promise<number> => {
      const cachedTokens = await ask(long, "one");
      for (let other = 1; other <= slots; other++) await ask(promptOf(other, 100), "another");
      return cachedTokens;
    };
    const asked: boolean[] = [];
    for (let round = 0; round < 24; round += 1) asked.push((await afterOthers()) > 0);
    // Three reads are measured; the refusals after them include those to write the same prefix again.
    expect(asked.slice(0, 5)).toEqual([false, true, true, true, false]);
    expect(asked.slice(5)).toContain(true);
  });

  it("survives a restart, in files that only their owner can read, and ignores a damaged file", async () => {
    const models = temporaryFolder();
    const folder = join(temporaryFolder(), "cache");
    const long = promptOf(0, 300);
    const ask = async (): Promise<number> => {
      const resident = await residentWithEightSlots(models);
      const { loop, done } = startLoop(storeIn(folder));
      loop.submit(resident, 1, jobOf(long, 4));
      const { cachedTokens, error } = await done(1);
      expect(error).toBeNull();
      await loop.drain();
      return cachedTokens;
    };
    expect(await ask()).toBe(0);
    expect(await ask()).toBe(long.length - 1);
    const states = readdirSync(folder).filter((name) => name.endsWith(".state"));
    expect(states.length).toBeGreaterThan(0);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    for (const name of states) truncateSync(join(folder, name), 100);
    expect(await ask()).toBe(0);
  });

  it("F19: never has the tokens of a job that must leave nothing on the disk, whatever uses its slot next", async () => {
    const resident = await residentWithEightSlots();
    const folder = join(temporaryFolder(), "cache");
    const store = storeIn(folder);
    const { loop, done } = startLoop(store);
    // As many as there are slots, so that the next job takes one of theirs.
    for (let job = 1; job <= 8; job += 1)
      loop.submit(resident, job, jobOf(promptOf(job, 200), 2, { ephemeral: true }));
    for (let job = 1; job <= 8; job += 1) expect((await done(job)).error).toBeNull();
    const plain = promptOf(20, 200);
    loop.submit(resident, 9, jobOf(plain, 2));
    await done(9);
    await loop.drain();
    const owner = { fingerprint: resident.stateKey, teamId: jobOf(plain, 2).teamId };
    expect(store.find(owner, Uint32Array.from(plain))?.shared).toBe(plain.length);
    expect(readdirSync(folder).filter((name) => name.endsWith(".state"))).toHaveLength(1);
  });

  it("stays within its limit and removes the least recently used prefix first", async () => {
    const resident = await residentWithEightSlots();
    const folder = join(temporaryFolder(), "cache");
    const probe = storeIn(folder);
    const { loop, done } = startLoop(probe);
    loop.submit(resident, 0, jobOf(promptOf(0, 200), 2));
    await done(0);
    await loop.drain();
    const one = probe.bytes;
    expect(one).toBeGreaterThan(0);

    const small = storeIn(join(temporaryFolder(), "cache"), { bytesMax: Math.floor(one * 2.5) });
    const bounded = startLoop(small);
    for (let job = 0; job < slots + 4; job++) {
      bounded.loop.submit(resident, job, jobOf(promptOf(job, 200), 2, { teamId: `team ${job}` }));
      await bounded.done(job);
      expect(small.bytes).toBeLessThanOrEqual(one * 2.5);
    }
    expect(small.bytes).toBeGreaterThan(0);
  });

  it("evaluates a new prefix once for all concurrent requests that share it, and each continues with its own prompt", async () => {
    const resident = await residentWithEightSlots();
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done } = startLoop(store);
    const shared = promptOf(0, 300);
    const prompts = Array.from({ length: 4 }, (_, index) => [...shared, ...promptOf(index + 5, 20)]);
    const ask = async (id: number, tokens: readonly number[], changes = {}) => {
      loop.submit(resident, id, jobOf(tokens, 3, { ...compared, ...changes }));
      return done(id);
    };
    const outcomes = await Promise.all(prompts.map((tokens, id) => ask(id, tokens)));
    expect(outcomes.map((outcome) => outcome.error)).toEqual([null, null, null, null]);
    expect(outcomes[0]?.cachedTokens).toBe(0);
    for (const outcome of outcomes.slice(1)) expect(outcome.cachedTokens).toBeGreaterThanOrEqual(300);

    for (const [index, tokens] of prompts.entries()) {
      const fresh = await ask(50 + index, tokens, { deterministic: true });
      expect(fresh.cachedTokens).toBe(0);
      for (const [other, outcome] of outcomes.entries())
        if (other === index) expectSameUpToRounding(outcome.logprobs, fresh.logprobs);
        else expect(distance(outcome.logprobs, fresh.logprobs)).toBeGreaterThan(4 * roundingNats);
    }
  });

  it("lets jobs that wait for a prefix start when the job that evaluates it is cancelled", async () => {
    const resident = await residentWithEightSlots();
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done, updatesOf, until } = startLoop(store);
    const shared = promptOf(0, 400);
    loop.submit(resident, 1, jobOf([...shared, 41], 3));
    loop.submit(resident, 2, jobOf([...shared, 42], 3));
    await until(() => updatesOf(1).length > 0);
    loop.cancel(1);
    expect(await done(2)).toMatchObject({ finished: true, error: null });
    expect((await done(1)).finished).toBe(false);
  });
});

describe("a cancelled job", () => {
  it("F5: ends early whenever it is cancelled, also while its slot is being prepared", async () => {
    const resident = await residentWithEightSlots();
    const store = storeIn(join(temporaryFolder(), "cache"));
    const { loop, done } = startLoop(store);
    for (let job = 0; job < slots; job++) {
      loop.submit(resident, job, jobOf(promptOf(job, 300), 2));
      await done(job);
    }
    for (let round = 0; round < 60; round++) {
      const job = 100 + round;
      const tokens = [...promptOf(round % slots, 150), ...promptOf(round, 150)];
      loop.submit(resident, job, jobOf(tokens, 150, { teamId: `team ${round}`, sampling: hot }));
      for (let turn = 0; turn < round; turn++) {
        if (round % 2 === 0) await Promise.resolve();
        else if (turn % 8 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
      loop.cancel(job);
      expect((await done(job)).finished).toBe(false);
    }
  });
});

describe("a deterministic job", () => {
  it("runs alone and without cached prefixes: 50 repetitions during other work return the same bytes", async () => {
    const resident = await residentWithEightSlots();
    const { loop, done } = startLoop();
    const sampling = {
      temperature: 1.2,
      topP: 1,
      seed: 5,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: null,
      minP: 0,
      logitBias: {},
    };
    const texts = new Set<string>();
    let job = 0;
    for (let round = 0; round < 50; round++) {
      const noise = [++job, ++job];
      for (const id of noise) loop.submit(resident, id, jobOf(promptOf(id, 5 + (id % 60)), 1 + (id % 30)));
      loop.submit(resident, ++job, jobOf(promptOf(0, 40), 12, { deterministic: true, sampling, seed: 5 }));
      const { text, cachedTokens } = await done(job);
      expect(cachedTokens).toBe(0);
      texts.add(text);
      for (const id of noise) await done(id);
    }
    expect(texts.size).toBe(1);
  });
});
