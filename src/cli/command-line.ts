/** Runs a command line to its end, and sets the exit code of the process. */
import { CommanderError } from "commander";
import { createProgram, type ProgramIo } from "./program.js";
import { runToEnd } from "./unfinished.js";

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
