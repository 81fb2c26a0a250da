import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { runToEnd } from "../../src/cli/command-line.js";
import { systemClock } from "../../src/system/clock.js";

/** Calls the action as Node.js does while nothing keeps the process alive. */
function emptyLoop() {
  let action: (() => void) | null = null;
  return {
    onLoopEmpty(given: () => void) {
      action = given;
      return () => void (action = null);
    },
    /** Returns whether the command still waits. */
    empty(): boolean {
      action?.();
      return action !== null;
    },
  };
}

it("a command that waits for a timer of the system clock alone ends when the timer does", async () => {
  const loop = emptyLoop();
  let isDone = false;
  const ended = runToEnd(
    async () => {
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
      isDone = true;
    },
    (action) => loop.onLoopEmpty(action),
  );
  expect(loop.empty()).toBe(true);
  await ended;
  expect([isDone, loop.empty()]).toEqual([true, false]);
});

it("a command that waits for nothing that can happen ends with an error", async () => {
  const loop = emptyLoop();
  const ended = runToEnd(
    () => new Promise(() => undefined),
    (action) => loop.onLoopEmpty(action),
  );
  const refused = expect(ended).rejects.toThrow("the command has not ended, and nothing is left");
  for (let turns = 0; loop.empty() && turns < 1000; turns += 1) await nextTurn();
  await refused;
});
