import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlidingWindow } from "../../../src/accounts/limits/sliding-window.js";

const spanMs = 50;

/** Amounts by the millisecond in which they were counted: what the window must agree with. */
class Tally {
  readonly #byTime = new Map<number, number>();

  add(time: number, amount: number): void {
    this.#byTime.set(time, (this.#byTime.get(time) ?? 0) + amount);
  }

  used(now: number): number {
    return [...this.#byTime].reduce((sum, [time, amount]) => (time > now - spanMs ? sum + amount : sum), 0);
  }

  at(time: number): number {
    return this.#byTime.get(time) ?? 0;
  }

  get times(): readonly number[] {
    return [...this.#byTime.keys()];
  }
}

const step = fc.record({
  afterMs: fc.nat({ max: 30 }),
  amount: fc.integer({ min: 1, max: 9 }),
  givesBack: fc.boolean(),
  nth: fc.nat(),
});

describe("a sliding window", () => {
  it("over any history: its sum is that of the last span, and it has at most one entry a millisecond", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const [window, tally] = [new SlidingWindow(spanMs), new Tally()];
        let now = 0;
        for (const { afterMs, amount, givesBack, nth } of steps) {
          now += afterMs;
          window.slide(now);
          const time = tally.times[nth % Math.max(1, tally.times.length)];
          if (!givesBack || time === undefined) {
            window.add(now, amount);
            tally.add(now, amount);
          } else if (time > now - spanMs) {
            const back = Math.min(amount, tally.at(time));
            if (back === 0) continue;
            window.giveBack(time, back);
            tally.add(time, -back);
          } else window.giveBack(time, amount);
          expect(window.used).toBe(tally.used(now));
          expect(window.entries).toBeLessThanOrEqual(spanMs);
        }
      }),
    );
  });

  it("over any history: falls to a sum at exactly the time that it says, and not a millisecond before", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.nat({ max: 40 }), (steps, max) => {
        const [window, tally] = [new SlidingWindow(spanMs), new Tally()];
        let now = 0;
        for (const { afterMs, amount } of steps) {
          now += afterMs;
          window.slide(now);
          window.add(now, amount);
          tally.add(now, amount);
        }
        const time = window.fallsToAt(max, now);
        expect(tally.used(time)).toBeLessThanOrEqual(max);
        if (time > now) expect(tally.used(time - 1)).toBeGreaterThan(max);
        else expect(tally.used(now)).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("ends when its last entry expires, and never when it is empty", () => {
    const window = new SlidingWindow(spanMs);
    expect(window.endsAt).toBeNull();
    window.add(10, 1);
    window.add(20, 1);
    expect(window.endsAt).toBe(20 + spanMs);
    window.slide(20 + spanMs);
    expect([window.used, window.entries, window.endsAt]).toEqual([0, 0, null]);
  });
});
