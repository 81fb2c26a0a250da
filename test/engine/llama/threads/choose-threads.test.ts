import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Model } from "../../../../src/core/model.js";
import type { BatchThreads } from "../../../../src/engine/llama/threads/batch-threads.js";
import { threadChooser, type ThreadChoice } from "../../../../src/engine/llama/threads/choose-threads.js";
import { ember } from "../../../kit/scripted/ember.js";
import { temporaryFolder } from "../../../kit/folder.js";

const model: Model = { ...ember, manifest: { ...ember.manifest, bytes: 24_000_000 } };

/** A machine on which each batch takes 8 ms divided by the threads. */
function machine(plansFile: string, changes: Partial<ThreadChoice> = {}) {
  let now = 0;
  let evaluated = 0;
  let threadsOf: ((tokens: number) => number) | null = null;
  const threads: BatchThreads = {
    use: (threadsOfBatch) => void (threadsOf = threadsOfBatch),
    evaluate(_tokens, count) {
      now += 8 / count;
      evaluated += 1;
      return Promise.resolve();
    },
  };
  const choose = threadChooser({
    plansFile,
    cores: 2,
    keepsThreads: true,
    runBetween: (work) => work(),
    now: () => now,
    occupyThread: (ms) => void (now += ms),
    ...changes,
  });
  return {
    choose: (of: Model = model) => choose(of, threads, 128),
    evaluated: () => evaluated,
    threadsOf: (tokens: number) => threadsOf?.(tokens) ?? null,
  };
}

it("the threads of a model are measured when it is first loaded, and kept for the next start", async () => {
  const file = join(temporaryFolder(), "threads.json");
  const first = machine(file);
  await first.choose();
  expect(first.evaluated()).toBeGreaterThan(0);
  expect([1, 8, 100].map(first.threadsOf)).toEqual([2, 2, 2]);
  const second = machine(file);
  await second.choose();
  expect(second.evaluated()).toBe(0);
  expect(second.threadsOf(1)).toBe(2);
});

it("they are measured again for another model, other cores, and threads that are made for every token", async () => {
  const file = join(temporaryFolder(), "threads.json");
  await machine(file).choose();
  const others = [
    { of: { ...model, fingerprint: "another" }, changes: {} },
    { of: model, changes: { cores: 4 } },
    { of: model, changes: { keepsThreads: false } },
  ];
  for (const { of, changes } of others) {
    const other = machine(file, changes);
    await other.choose(of);
    expect(other.evaluated()).toBeGreaterThan(0);
  }
});

it("a damaged file of kept trials, and a folder that cannot be written, cost a trial and no error", async () => {
  const file = join(temporaryFolder(), "threads.json");
  writeFileSync(file, '{"key":[{"tokens":0');
  const damaged = machine(file);
  await damaged.choose();
  expect(damaged.threadsOf(1)).toBe(2);
  const absent = machine(join(temporaryFolder(), "no-such-folder", "threads.json"));
  await absent.choose();
  expect(absent.threadsOf(1)).toBe(2);
});

it("a small model is not measured: the rule leaves it one thread", async () => {
  const small = machine(join(temporaryFolder(), "threads.json"));
  await small.choose({ ...model, manifest: { ...model.manifest, bytes: 4_000_000 } });
  expect(small.evaluated()).toBe(0);
  expect(small.threadsOf(1)).toBeNull();
});

it("a trial waits for its turn between the batches of other models", async () => {
  const turns: string[] = [];
  const { choose, evaluated } = machine(join(temporaryFolder(), "threads.json"), {
    async runBetween(work) {
      turns.push("begin");
      await work();
      turns.push("end");
    },
  });
  await choose();
  expect(turns).toHaveLength(2 * evaluated());
});
