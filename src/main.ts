#!/usr/bin/env node
/**
 * The entry point: parses the command line and runs the command (cli/command-line.ts). `hearth start` becomes the
 * supervisor of a second process, which starts here again with a connection to it. To keep the supervisor small, only terminal.ts,
 * server/supervise.ts and server/open-files.ts of cli/ are imported before it is known which of the two this process is.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { openFilesProblem } from "./cli/server/open-files.js";
import { connectSupervisor, isStart, supervise } from "./cli/server/supervise.js";
import { exactOn, printTo } from "./cli/terminal.js";

const args = process.argv.slice(2);
const out = printTo(process.stdout);
const err = printTo(process.stderr);
const supervisorChannel = connectSupervisor(args);
const problem = openFilesProblem();
if (problem !== null) {
  err.write(`hearth: ${problem}\n`);
  process.exitCode = 1;
} else if (supervisorChannel === null && isStart(args))
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
  const { runCommandLine } = await import("./cli/command-line.js");
  const words = supervisorChannel === null ? args : args.slice(1);
  const io = {
    environment: process.env,
    home: homedir(),
    out,
    err,
    data: exactOn(process.stdout),
    content: process.stdout,
    supervisor: supervisorChannel,
    onInterrupt,
  };
  await runCommandLine(words, io, onLoopEmpty);
}

function onInterrupt(action: () => void): () => void {
  process.once("SIGINT", action);
  return () => process.off("SIGINT", action);
}

function onLoopEmpty(action: () => void): () => void {
  process.on("beforeExit", action);
  return () => process.off("beforeExit", action);
}
