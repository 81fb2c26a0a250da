import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../src/system/clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const days = 24 * 3_600_000;

it("the clock waits for 31 days, longer than a timer of Node.js does", () => {
  const action = vi.fn();
  systemClock.after(31 * days, action);
  vi.advanceTimersByTime(31 * days - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
});

it("the clock does nothing after a wait that was cancelled, however long it was", () => {
  const action = vi.fn();
  const cancel = systemClock.after(31 * days, action);
  vi.advanceTimersByTime(30 * days);
  cancel();
  vi.advanceTimersByTime(2 * days);
  expect(action).not.toHaveBeenCalled();
});
