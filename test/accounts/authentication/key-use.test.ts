import { describe, expect, it } from "vitest";
import { createKeyUse } from "../../../src/accounts/authentication/key-use.js";
import { createManualClock } from "../../kit/manual-clock.js";

const start = Date.UTC(2026, 10, 21, 12);

function world() {
  const clock = createManualClock(start);
  const writes: Readonly<Record<string, number>>[] = [];
  const troubles: unknown[] = [];
  const state = { failing: false, asked: 0, held: Promise.resolve() };
  const keyUses = {
    async write(times: ReadonlyMap<string, number>) {
      state.asked += 1;
      await state.held;
      if (state.failing) throw new Error("database or disk is full");
      writes.push(Object.fromEntries(times));
    },
  };
  const keyUse = createKeyUse({ keyUses, clock, onError: (thrown) => void troubles.push(thrown) });
  /** Advances the clock and waits until the next write has finished. */
  const settle = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { keyUse, clock, settle, writes, troubles, state };
}

describe("the time of last use of keys", () => {
  it("is written for all keys together, at most every half minute, and not while no key is used", async () => {
    const { keyUse, settle, writes, state } = world();
    await settle(600_000);
    expect(state.asked).toBe(0);
    for (let second = 0; second < 30; second += 1) {
      keyUse.note("one");
      keyUse.note("two");
      await settle(1000);
    }
    expect(writes).toEqual([{ one: start + 600_000, two: start + 600_000 }]);
    // The same minute is not written again.
    keyUse.note("one");
    await settle(60_000);
    expect(state.asked).toBe(1);
    keyUse.note("one");
    await settle(30_000);
    expect(writes[1]).toEqual({ one: start + 660_000 });
  });

  it("F11: is written by the next write after a failed one, once per key, for a bounded number of keys", async () => {
    const { keyUse, settle, writes, troubles, state } = world();
    state.failing = true;
    for (let minute = 0; minute < 20; minute += 1) {
      for (let key = 0; key < 1000; key += 1) keyUse.note(`key-${minute * 1000 + key}`);
      keyUse.note("key-0");
      await settle(60_000);
    }
    expect(troubles.length).toBeGreaterThanOrEqual(20);
    expect(writes).toEqual([]);
    state.failing = false;
    await settle(30_000);
    expect(writes).toHaveLength(1);
    expect(Object.keys(writes[0] ?? {})).toHaveLength(5000);
    expect(writes[0]?.["key-0"]).toBe(start + 19 * 60_000);
    keyUse.note("key-19999");
    await settle(30_000);
    expect(Object.keys(writes[1] ?? {})).toEqual(["key-19999"]);
  });

  it("is written on close and not noted afterwards; a failure on close is reported, not thrown", async () => {
    const { keyUse, settle, writes, troubles, state } = world();
    keyUse.note("one");
    await keyUse.close();
    expect(writes).toEqual([{ one: start }]);
    keyUse.note("two");
    await settle(60_000);
    await keyUse.close();
    expect(writes).toHaveLength(1);
    const other = world();
    other.state.failing = true;
    other.keyUse.note("one");
    await other.keyUse.close();
    await other.settle(600_000);
    expect([other.troubles.length, other.state.asked, troubles.length, state.asked]).toEqual([1, 1, 0, 1]);
  });

  it("is not lost when a key is used again during a write", async () => {
    const { keyUse, clock, settle, writes, state } = world();
    keyUse.note("one");
    let release = (): void => undefined;
    state.held = new Promise((resolve) => (release = resolve));
    clock.advance(60_000);
    keyUse.note("one");
    keyUse.note("two");
    release();
    await settle(0);
    expect(writes).toEqual([{ one: start }]);
    await settle(30_000);
    expect(writes[1]).toEqual({ one: start + 60_000, two: start + 60_000 });
  });
});
