import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestSlot, type SlotState } from "../../../../src/engine/llama/decode/slot-choice.js";

const slot = (state: Partial<SlotState> = {}): SlotState => ({
  busy: false,
  empty: true,
  lastUsed: 0,
  sharedTokens: 0,
  sameKey: false,
  ...state,
});
const used = (state: Partial<SlotState> = {}): SlotState => slot({ empty: false, ...state });
const busy = slot({ busy: true, empty: false });

describe("the slot of a job", () => {
  it("is none while all are busy", () => {
    expect(bestSlot([busy, busy])).toBeNull();
    expect(bestSlot([])).toBeNull();
  });

  it("is beside a busy slot, so that both are computed in one batch, though another has a short shared prefix", () => {
    expect(bestSlot([slot(), busy, slot(), used({ sharedTokens: 63 })])).toBe(0);
    expect(bestSlot([slot(), used(), busy, slot(), busy])).toBe(3);
  });

  it("is the one with a long shared prefix, wherever it is", () => {
    expect(bestSlot([slot(), busy, slot(), used({ sharedTokens: 64 })])).toBe(3);
    expect(bestSlot([used({ sharedTokens: 500 }), busy, used({ sharedTokens: 501 })])).toBe(2);
  });

  it("is one with any shared prefix, then an empty one, then the one unused for longest, while nothing else runs", () => {
    expect(bestSlot([slot(), used({ sharedTokens: 20 })])).toBe(1);
    expect(bestSlot([used({ lastUsed: 1 }), slot({ lastUsed: 9 })])).toBe(1);
    expect(bestSlot([used({ lastUsed: 2 }), used({ lastUsed: 1 })])).toBe(1);
  });

  it("is one of its own key before the one unused for longest, but after an empty one and after any shared prefix", () => {
    const own = { sameKey: true, lastUsed: 9 };
    expect(bestSlot([used(), used(own), used()])).toBe(1);
    expect(bestSlot([used({ sharedTokens: 80 }), used({ ...own, sharedTokens: 80 })])).toBe(1);
    expect(bestSlot([used(own), slot()])).toBe(1);
    expect(bestSlot([used({ ...own, sharedTokens: 19 }), used({ sharedTokens: 20 })])).toBe(1);
    expect(bestSlot([used({ ...own, sharedTokens: 500 }), used({ sharedTokens: 501 })])).toBe(1);
    expect(bestSlot([used(own), slot({ empty: false }), busy])).toBe(1);
    expect(bestSlot([used({ ...own, busy: true }), slot(), slot()])).toBe(1);
  });

  it("of any slots: a key decides only among slots that are equal but for the time of their use, and there it always does", () => {
    const anySlot = fc.record({
      busy: fc.boolean(),
      empty: fc.boolean(),
      lastUsed: fc.nat({ max: 3 }),
      sharedTokens: fc.constantFrom(0, 40, 100),
      sameKey: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anySlot, { maxLength: 8 }), (states) => {
        const without = bestSlot(states.map((state) => ({ ...state, sameKey: false })));
        const chosen = bestSlot(states);
        const valueOf = (id: number | null): unknown => {
          const { sharedTokens, empty } = states[id ?? -1] ?? {};
          const beside = id === null ? [] : [states[id - 1], states[id + 1]];
          return [sharedTokens, empty, beside.filter((state) => state?.busy === true).length];
        };
        expect(valueOf(chosen)).toEqual(valueOf(without));
        const own = states.flatMap(({ busy: isBusy, sameKey }, id) => (sameKey && !isBusy ? [id] : []));
        const equal = own.filter((id) => String(valueOf(id)) === String(valueOf(without)));
        if (equal.length === 0) expect(chosen).toBe(without);
        else expect(equal).toContain(chosen);
      }),
      { numRuns: 1000 },
    );
  });
});
