import { onTestFinished, describe, expect, it } from "vitest";
import { createRetention, type Sweep } from "../../src/jobs/retention.js";
import { createManualClock } from "../kit/manual-clock.js";

const hourMs = 60 * 60 * 1000;
const pauseMs = 20;

/** Sweeps over rows to delete, and the time and limit of each call. */
function sweeping(...left: number[]) {
  const clock = createManualClock(0);
  const swept: (readonly [table: number, now: number, deleted: number])[] = [];
  const troubles: unknown[] = [];
  const fail = { table: -1 };
  const sweeps = left.map((_, table): Sweep => async (now, limit) => {
    await Promise.resolve();
    if (fail.table === table) throw new Error(`table ${table} is locked`);
    const deleted = Math.min(left[table] ?? 0, limit);
    left[table] = (left[table] ?? 0) - deleted;
    swept.push([table, now, deleted]);
    return deleted;
  });
  const retention = createRetention(clock, sweeps, (thrown) => void troubles.push(thrown));
  onTestFinished(() => retention.close());
  return { clock, retention, swept, troubles, left, fail };
}

describe("retention", () => {
  it("sweeps at the start, table by table in small steps with pauses between them, then every hour", async () => {
    const { clock, retention, swept, left } = sweeping(250, 1);
    expect(swept).toEqual([]);
    retention.start();
    clock.advance(0);
    for (let step = 0; step < 2; step += 1) {
      await clock.whenWaiting(pauseMs);
      clock.advance(pauseMs);
    }
    await clock.whenWaiting(hourMs);
    expect(swept).toEqual([
      [0, 0, 200],
      [0, 20, 50],
      [1, 40, 1],
    ]);
    left[1] = 7;
    clock.advance(hourMs - 1);
    await Promise.resolve();
    expect(swept).toHaveLength(3);
    clock.advance(1);
    await clock.whenWaiting(pauseMs);
    clock.advance(pauseMs);
    await clock.whenWaiting(hourMs);
    expect(swept.slice(3)).toEqual([
      [0, hourMs + 40, 0],
      [1, hourMs + 60, 7],
    ]);
  });

  it("continues with the next table when a sweep fails, and retries that an hour later", async () => {
    const { clock, retention, swept, troubles, fail } = sweeping(5, 5);
    fail.table = 0;
    retention.start();
    clock.advance(0);
    await clock.whenWaiting(pauseMs);
    clock.advance(pauseMs);
    await clock.whenWaiting(hourMs);
    expect(troubles).toEqual([new Error("table 0 is locked")]);
    expect(swept).toEqual([[1, 20, 5]]);
    fail.table = -1;
    clock.advance(hourMs);
    await clock.whenWaiting(pauseMs);
    expect(swept.at(-1)).toEqual([0, hourMs + 20, 5]);
  });

  it("sweeps nothing once closed, and closes only when the current step is done", async () => {
    const { clock, retention, swept } = sweeping(1000);
    retention.start();
    clock.advance(0);
    expect(swept).toEqual([]);
    await retention.close();
    expect(swept).toEqual([[0, 0, 200]]);
    clock.advance(2 * hourMs);
    await Promise.resolve();
    expect(swept).toHaveLength(1);
  });
});
