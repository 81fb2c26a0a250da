/** Runs a command line to its end, and sets the exit code of the process. */
import { CommanderError } from "commander";
import { createProgram, type ProgramIo } from "./program.js";

/**
 * Runs the command that these words name. Exit codes: 0 success (help, version), 1 failure, 2 wrong usage, or what the command sets.
 * Commander prints its own error messages.
 * @param onLoopEmpty calls a function whenever nothing is left that keeps the process alive; returns a function that undoes this
 */
export async function runCommandLine(
  words: readonly string[],
  io: ProgramIo,
  onLoopEmpty: (action: () => void) => () => void,
): Promise<void> {
  const program = createProgram(io);
  try {
    await runToEnd(() => program.parseAsync(words, { from: "user" }), onLoopEmpty);
  } catch (thrown) {
    if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : 2;
    else {
      io.err.write(`hearth: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
      process.exitCode = thrown instanceof (await import("../config/config.js")).ConfigError ? 2 : 1;
    }
  }
}

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
