import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { turnMsMin } from "../../../src/engine/memory/eviction.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { machine, named, native, settle } from "./models-in-memory.js";

/** All times are multiples of this. */
const tickMs = 250;
const memoryBytesMax = 20;
const modelsMax = 6;
const loadTicksMax = 24;
const runTicksMax = 32;
const keepAliveMs = 3000;

/** Models 0 and 1 fill the memory, and are in use without a gap for longer than any request may wait. */
const busyTicks = 800;
const busyRequests = Array.from({ length: busyTicks / 8 }, (_, at) =>
  [0, 1].map((model) => ({ at: at * 8 + model, model, runTicks: 12, abortTicks: null })),
).flat();

interface RandomRequest {
  readonly at: number;
  readonly model: number;
  readonly runTicks: number;
  /** How long the client waits; null = until it is served. */
  readonly abortTicks: number | null;
}

interface RandomModel {
  readonly bytes: number;
  readonly loadTicks: number;
}

const ticks = (max: number) => fc.integer({ min: 0, max });

const randomCase = fc.record({
  models: fc.array(
    fc.record({ bytes: fc.integer({ min: 1, max: memoryBytesMax }), loadTicks: ticks(loadTicksMax) }),
    { minLength: modelsMax - 2, maxLength: modelsMax - 2 },
  ),
  requests: fc.array(
    fc.record({
      at: ticks(120),
      model: fc.integer({ min: 0, max: modelsMax - 1 }),
      runTicks: ticks(runTicksMax),
      abortTicks: fc.option(ticks(60), { freq: 3 }),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});

/**
 * A request waits for the load that its model is held back for, for the loads of all other models, and for its own. Each of them waits
 * at most for a turn and the longest run, and takes an unload and a load; keep-alive times that end add an unload.
 */
const turnTicks = Math.max(turnMsMin / tickMs, loadTicksMax);
const waitTicksMax = (modelsMax + 1) * (turnTicks + runTicksMax + loadTicksMax + 3);

/** Serves requests with two engines that share memory; checks every load, unload and lease. */
async function serve(models: readonly RandomModel[], requests: readonly RandomRequest[]): Promise<void> {
  const clock = createManualClock(0);
  const memory = new ModelMemory({ clock, memoryBytesMax });
  const inMemory = new Map<string, { readonly bytes: number; loadedAt: number }>();
  const leases = new Map<string, number>();
  const lease = (id: string, change: number): void => void leases.set(id, (leases.get(id) ?? 0) + change);
  const modelOf = (id: string): RandomModel => models[Number(id)] ?? { bytes: 10, loadTicks: 4 };
  const after = (count: number): Promise<void> =>
    new Promise((resolve) => void clock.after(count * tickMs, resolve));
  const engine = () =>
    machine({
      clock,
      memory,
      keepAliveMs,
      estimate: ({ manifest }) => modelOf(manifest.id).bytes,
      load: async ({ manifest: { id } }) => {
        inMemory.set(id, { bytes: modelOf(id).bytes, loadedAt: Infinity });
        const used = [...inMemory.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        expect(used).toBeLessThanOrEqual(memoryBytesMax);
        await after(modelOf(id).loadTicks);
        inMemory.set(id, { bytes: modelOf(id).bytes, loadedAt: clock.monotonic() });
        return native;
      },
      unload: async ({ manifest: { id } }) => {
        expect(leases.get(id) ?? 0).toBe(0);
        await after(1);
        inMemory.delete(id);
      },
    }).models;
  const engines = [engine(), engine()] as const;

  /** Requests that wait, by model, in order of arrival. */
  const waiting = new Map<string, number[]>(
    Array.from({ length: modelsMax }, (_, model) => [String(model), []]),
  );
  const leave = (id: string, number: number): number => {
    const queue = waiting.get(id) ?? [];
    const place = queue.indexOf(number);
    queue.splice(place, 1);
    return place;
  };
  let left = requests.length;
  const run = async ({ model, runTicks, abortTicks }: RandomRequest, number: number): Promise<void> => {
    const id = String(model);
    const aborting = new AbortController();
    waiting.get(id)?.push(number);
    if (abortTicks !== null) clock.after(abortTicks * tickMs, () => aborting.abort());
    const resident = inMemory.get(id);
    const isInTurn = resident !== undefined && clock.monotonic() - resident.loadedAt < turnMsMin;
    const mustWait = !isInTurn || (leases.get(id) ?? 0) === 0;
    const askedAt = clock.monotonic();
    try {
      const held = await engines[model % 2 === 0 ? 0 : 1].lease(named(id), aborting.signal);
      // A model that is in use is not held back in its turn.
      if (!mustWait) expect(clock.monotonic()).toBe(askedAt);
      expect(leave(id, number)).toBe(0);
      expect(clock.monotonic() - askedAt).toBeLessThanOrEqual(waitTicksMax * tickMs);
      expect(inMemory.get(id)?.loadedAt).toBeLessThanOrEqual(clock.monotonic());
      lease(id, 1);
      await after(runTicks);
      lease(id, -1);
      held.release();
    } catch (thrown) {
      if (!aborting.signal.aborted || thrown !== aborting.signal.reason) throw thrown;
      leave(id, number);
    } finally {
      left -= 1;
    }
  };
  const runs: Promise<void>[] = [];
  for (const [number, request] of requests.entries())
    clock.after(request.at * tickMs, () => {
      const running = run(request, number);
      running.catch(() => undefined);
      runs.push(running);
    });
  for (let tick = 0; left > 0 && tick < busyTicks + waitTicksMax + runTicksMax; tick += 1) {
    clock.advance(tickMs);
    await settle();
  }
  expect(left).toBe(0);
  await Promise.all(runs);
  // Everything leaves the memory in the end.
  for (let tick = 0; tick < keepAliveMs / tickMs + modelsMax; tick += 1) {
    clock.advance(tickMs);
    await settle();
  }
  expect(inMemory.size).toBe(0);
}

describe("models that share memory, two of them in use without a gap", () => {
  it("serve every request within a bound and in order, never exceed the memory, never unload a model in use", async () => {
    await fc.assert(
      fc.asyncProperty(randomCase, ({ models, requests }) => {
        const [first, second] = [
          { bytes: 10, loadTicks: 4 },
          { bytes: 10, loadTicks: 4 },
        ];
        return serve([first, second, ...models], [...busyRequests, ...requests]);
      }),
      { numRuns: casesOf(200) },
    );
  });
});
