/** The commands of the program, to look at: none of them is run. */
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.js";

export function commandTree(): Command {
  const silent = { write: () => true };
  return createProgram({
    environment: {},
    home: "/home/someone",
    out: silent,
    err: silent,
    data: silent,
    content: process.stdout,
    supervisor: null,
    onInterrupt: () => () => undefined,
  });
}
