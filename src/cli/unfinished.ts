/** Keeps the process of a command alive until the command has ended. */

/** How long a command may wait for timers alone before it is given up. */
const idleMsMax = 600_000;
const waitMs = 1000;

/**
 * Runs a command to its end. Timers of the system clock do not keep a process alive, and without this a command that waits for one would end
 * in the middle, silently. A command that waits for nothing that can happen ends with an error after ten minutes.
 * @param onLoopEmpty calls a function whenever nothing is left that keeps the process alive; returns a function that undoes this.
 */
export async function runToEnd(
  command: () => Promise<unknown>,
  onLoopEmpty: (action: () => void) => () => void,
): Promise<void> {
  let idleMs = 0;
  let giveUp: (problem: Error) => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
  const undo = onLoopEmpty(() => {
    idleMs += waitMs;
    if (idleMs > idleMsMax)
      return giveUp(new Error("the command has not ended, and nothing is left that it could wait for"));
    setTimeout(() => undefined, waitMs);
  });
  try {
    await Promise.race([command(), givenUp]);
  } finally {
    undo();
  }
}
