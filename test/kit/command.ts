/** A command of the program, run in the process of the test: its output and its exit code. program.ts runs it as a process of its own. */
import { PassThrough } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.js";

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command, one at a time: the exit code is the process's. It neither reads standard input nor is it on a terminal.
 * @param environment HEARTH_* variables
 */
export async function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandEnd> {
  const printed = { out: "", err: "" };
  const out = { write: (text: string) => (printed.out += text) };
  const content = new PassThrough().on("data", (bytes: Buffer) => (printed.out += bytes.toString()));
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommandLine(
      words,
      {
        environment,
        home: "/home/someone",
        out,
        err: { write: (text) => (printed.err += text) },
        data: out,
        content,
        supervisor: null,
        onInterrupt: () => () => undefined,
      },
      () => () => undefined,
    );
    return { code: Number(process.exitCode), ...printed };
  } finally {
    process.exitCode = before;
  }
}
