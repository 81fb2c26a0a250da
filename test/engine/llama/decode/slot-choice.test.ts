import { describe, expect, it } from "vitest";
import { bestSlot, type SlotState } from "../../../../src/engine/llama/decode/slot-choice.js";

const slot = (state: Partial<SlotState> = {}): SlotState => ({
  busy: false,
  empty: true,
  lastUsed: 0,
  sharedTokens: 0,
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
});
