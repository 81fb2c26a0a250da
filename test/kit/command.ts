/** A command of the program, run in the process of the test: its output and its exit code. program.ts runs it as a process of its own. */
import { Writable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.js";
import { exactOn, printTo } from "../../src/cli/terminal.js";

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command, one at a time: the exit code is the process's.
 * @param environment HEARTH_* variables
 * @param columns the width of its terminal; absent: it is on none
 */
export async function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  columns?: number,
): Promise<CommandEnd> {
  const printed = { out: "", err: "" };
  const stdout = {
    write: (text: string) => (printed.out += text),
    isTTY: columns !== undefined,
    columns: columns ?? 80,
  };
  const content = new Writable({
    decodeStrings: false,
    write(part: string | Buffer, _encoding, done) {
      printed.out += part.toString();
      done();
    },
  });
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommandLine(
      words,
      {
        environment,
        home: "/home/someone",
        out: printTo(stdout),
        err: { write: (text) => (printed.err += text) },
        data: exactOn(stdout),
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
