#!/usr/bin/env node
/**
 * The entry point: parses the command line and runs the command; cli/program.ts has the commands. `hearth start` becomes the
 * supervisor of a second process, which starts here again with a connection to it. To keep the supervisor small, only terminal.ts,
 * server/supervise.ts and server/open-files.ts of cli/ are imported before it is known which of the two this process is.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { openFilesProblem } from "./cli/server/open-files.js";
import { connectSupervisor, isStart, supervise, type SupervisorChannel } from "./cli/server/supervise.js";
import { exactOn, printTo } from "./cli/terminal.js";

const args = process.argv.slice(2);
const out = printTo(process.stdout);
const err = printTo(process.stderr);
const supervisorChannel = connectSupervisor(args);
const problem = openFilesProblem();
if (problem !== null) process.exitCode = fail(new Error(problem), false);
else if (supervisorChannel === null && isStart(args))
  process.exitCode = await supervise(
    fileURLToPath(import.meta.url),
    args,
    "npm_lifecycle_event" in process.env,
  );
else {
  // The log of a server names places in the sources, and those that led there.
  if (supervisorChannel !== null) {
    process.setSourceMapsEnabled(true);
    Error.stackTraceLimit = 25;
  }
  await runCommand(supervisorChannel === null ? args : args.slice(1), supervisorChannel);
}

async function runCommand(
  commandLine: readonly string[],
  supervisor: SupervisorChannel | null,
): Promise<void> {
  const { CommanderError } = await import("commander");
  const { createProgram } = await import("./cli/program.js");
  const { runToEnd } = await import("./cli/unfinished.js");
  const program = createProgram({
    environment: process.env,
    home: homedir(),
    out,
    err,
    data: exactOn(process.stdout),
    content: process.stdout,
    supervisor,
    onInterrupt,
  });
  try {
    await runToEnd(() => program.parseAsync(commandLine, { from: "user" }), onLoopEmpty);
  } catch (thrown) {
    if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : 2;
    else process.exitCode = fail(thrown, thrown instanceof (await import("./config/config.js")).ConfigError);
  }
}

function onInterrupt(action: () => void): () => void {
  process.once("SIGINT", action);
  return () => process.off("SIGINT", action);
}

function onLoopEmpty(action: () => void): () => void {
  process.on("beforeExit", action);
  return () => process.off("beforeExit", action);
}

/** Exit codes: 0 success (help, version), 1 failure, 2 wrong usage. Commander prints its own error messages. */
function fail(thrown: unknown, isWrongUsage: boolean): number {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  err.write(`hearth: ${message}\n`);
  return isWrongUsage ? 2 : 1;
}
