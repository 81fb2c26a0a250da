import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { until } from "../kit/until.js";
import { jobQueue } from "./queue.js";

/** Resolves some turns of the event loop after each time that it is awaited, so that every run takes a while. */
const aWhile: PromiseLike<unknown> = {
  then: (resolve) =>
    new Promise<void>((done) => setImmediate(() => setImmediate(done))).then(
      () => resolve?.(undefined) as never,
    ),
};

describe("F18: jobs that end the process", () => {
  it("are the only ones that fail, after three crashes each, whatever they are queued among", async () => {
    const cases = fc.record({
      deadly: fc.array(fc.boolean(), { minLength: 2, maxLength: 8 }),
      activeMax: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ deadly, activeMax }) => {
        const world = await jobQueue({ activeMax });
        const ids = deadly.map((_, index) => `job-${String(index).padStart(2, "0")}`);
        for (const id of ids) await world.put(id, aWhile);
        for (const [index, id] of ids.entries()) if (deadly[index] === true) world.deadly.add(id);
        let crashes = 0;
        for (;;) {
          const before = world.runs.length;
          const hasCrashed = (): boolean => world.runs.slice(before).some(({ id }) => world.deadly.has(id));
          const process = world.restart();
          await process.queue.start();
          await until(() => hasCrashed() || world.outcomes().size === ids.length);
          if (!hasCrashed()) {
            await process.queue.close();
            break;
          }
          crashes += 1;
        }
        for (const [id, outcome] of world.outcomes())
          expect(outcome, id).toMatch(
            world.deadly.has(id) ? /^internal: The server stopped 3 times/ : /^completed$/,
          );
        expect(crashes).toBeLessThanOrEqual(3 * world.deadly.size);
        // A job is beside others when the process dies once at most.
        for (const { attempts } of world.runs.filter(({ id }) => !world.deadly.has(id)))
          expect(attempts).toBeLessThanOrEqual(2);
      }),
      { numRuns: 10 },
    );
  });
});
