import { describe, expect, it } from "vitest";
import { createSettleRetries } from "../../../src/inference/run/settle-retries.js";
import { createManualClock } from "../../kit/manual-clock.js";

/** Waits until everything that waits only for promises has run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Writes that fail while the database is unavailable. */
function database() {
  const state = { isAway: true, written: [] as string[], attempts: 0 };
  const write = (name: string) => async () => {
    state.attempts += 1;
    if (state.isAway) throw new Error("database is locked");
    state.written.push(name);
  };
  return { state, write };
}

describe("settlements that could not be written", () => {
  it("are retried every second until they are written, in order", async () => {
    const clock = createManualClock(0);
    const { state, write } = database();
    const retries = createSettleRetries(clock);
    const done = Promise.all([retries.retry(write("first")), retries.retry(write("second"))]);
    for (let second = 0; second < 3; second++) {
      clock.advance(1000);
      await turn();
    }
    expect(state.written).toEqual([]);
    state.isAway = false;
    clock.advance(999);
    await turn();
    expect(state.written).toEqual([]);
    clock.advance(1);
    await done;
    expect(state.written).toEqual(["first", "second"]);
  });

  it("retry one write a second while the database is unavailable, however many wait", async () => {
    const clock = createManualClock(0);
    const { state, write } = database();
    const retries = createSettleRetries(clock);
    const all = Array.from({ length: 20 }, (_, index) => retries.retry(write(String(index))));
    for (let second = 0; second < 5; second++) {
      clock.advance(1000);
      await turn();
    }
    expect(state.attempts).toBe(5);
    state.isAway = false;
    clock.advance(1000);
    await Promise.all(all);
    expect(state.written).toEqual(all.map((_, index) => String(index)));
  });

  it("are retried a last time when the server closes, and given up when that fails", async () => {
    const clock = createManualClock(0);
    const { state, write } = database();
    const retries = createSettleRetries(clock);
    const waiting = retries.retry(write("before the close"));
    await retries.close();
    await waiting;
    expect([state.attempts, state.written]).toEqual([1, []]);
    state.isAway = false;
    await retries.retry(write("after the close"));
    expect(state.written).toEqual(["after the close"]);
    clock.advance(10_000);
    await turn();
    expect(state.attempts).toBe(2);
  });
});
