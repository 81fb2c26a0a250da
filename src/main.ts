#!/usr/bin/env node
/**
 * The entry point: parses the command line and runs the command; each command is one file of cli/. `hearth start` becomes the
 * supervisor of a second process, which starts here again with a connection to it. To keep the supervisor small, only terminal.ts,
 * server/supervise.ts and server/open-files.ts of cli/ are imported before it is known which of the two this process is. Commands
 * import what is slow to load, the server above all, when they run: the others start in a fraction of a second.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { openFilesProblem } from "./cli/server/open-files.js";
import { connectSupervisor, isStart, supervise, type SupervisorChannel } from "./cli/server/supervise.js";
import { exactOn, printTo } from "./cli/terminal.js";
import type { LocalModels } from "./app/models/models.js";
import type { Operator } from "./app/operator/open.js";
import type { CommandLineSettings, LoadedConfig } from "./config/config.js";

const args = process.argv.slice(2);
const out = printTo(process.stdout);
const err = printTo(process.stderr);
const data = exactOn(process.stdout);
const commanderOutput = {
  writeOut: (text: string): unknown => out.write(text),
  writeErr: (text: string): unknown => err.write(text),
};
const supervisorChannel = connectSupervisor(args);
const problem = openFilesProblem();
if (problem !== null) process.exitCode = fail(new Error(problem), false);
else if (supervisorChannel === null && isStart(args))
  process.exitCode = await supervise(fileURLToPath(import.meta.url), args);
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
  const { Command } = await import("commander");
  const { addAccountCommands } = await import("./cli/accounts/accounts.js");
  const { addCompletionCommands } = await import("./cli/completion/completion.js");
  const { addDoctorCommand } = await import("./cli/doctor.js");
  const { addOtherNames } = await import("./cli/other-names.js");
  const { addPsCommand } = await import("./cli/ps.js");
  const { addRunCommand } = await import("./cli/run.js");
  const { addStartCommand } = await import("./cli/server/start.js");
  const { systemClock } = await import("./system/clock.js");
  const { version } = await import("./system/version.js");

  const program = new Command("hearth")
    .description(
      "A local, self-hosted model server: open models behind the interface of a hosted AI service.",
    )
    .version(version, "-v, --version")
    .option("--config <file>", "configuration file (default: hearth.yaml, where it exists)")
    .showSuggestionAfterError()
    .configureOutput(commanderOutput)
    .exitOverride();
  const load = async (options: CommandLineSettings = {}): Promise<LoadedConfig> => {
    const { loadConfig } = await import("./config/config.js");
    return loadConfig(process.env, program.opts<{ config?: string }>().config ?? null, options);
  };
  addStartCommand(program, load, { supervisor, environment: process.env });
  const openModels = async (): Promise<LocalModels> =>
    (await import("./app/models/models.js")).openLocalModels((await load()).config);
  addRunCommand(program, load, openModels);
  addPsCommand(program, load, { clock: systemClock, out });
  await addModels(program, load, openModels);
  const openOperator = async (): Promise<Operator> =>
    (await import("./app/operator/open.js")).openOperator((await load()).config);
  addAccountCommands(program, openOperator, { clock: systemClock, out, err, data });
  await addRequests(program, load);
  await addBackups(program, load);
  addDoctorCommand(program, load, systemClock, out);
  addCompletionCommands(program, { out, load, openModels, openOperator });
  addOtherNames(program);

  await parse(program, commandLine);
}

async function parse(program: Command, commandLine: readonly string[]): Promise<void> {
  const { CommanderError } = await import("commander");
  try {
    await program.parseAsync(commandLine, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : 2;
    else process.exitCode = fail(thrown, thrown instanceof (await import("./config/config.js")).ConfigError);
  }
}

/** Adds the commands of requests, alerts, batches, files and memory, which speak to the running server. */
async function addRequests(program: Command, load: () => Promise<LoadedConfig>): Promise<void> {
  const { addAlertsCommand } = await import("./cli/alerts/alerts.js");
  const { addRequestsCommand } = await import("./cli/requests/requests.js");
  const { addUnloadCommand } = await import("./cli/unload.js");
  const { addBatchesCommand } = await import("./cli/batches/batches.js");
  const { addFilesCommand } = await import("./cli/batches/files.js");
  const { systemClock } = await import("./system/clock.js");
  const openServer = async (): Promise<Operator> =>
    (await import("./app/operator/open.js")).openServer((await load()).config);
  const io = { load, clock: systemClock, out, content: process.stdout };
  addRequestsCommand(program, openServer, io);
  addAlertsCommand(program, openServer, io);
  addUnloadCommand(program, openServer, io);
  addBatchesCommand(program, io);
  addFilesCommand(program, io);
}

/** Adds the commands that back up and restore the data folder, and that move it to another database. */
async function addBackups(program: Command, load: () => Promise<LoadedConfig>): Promise<void> {
  const { addBackupCommands } = await import("./cli/backup/backup.js");
  const { addMigrateCommand } = await import("./cli/backup/migrate.js");
  const { systemClock } = await import("./system/clock.js");
  addBackupCommands(program, {
    create: async (file, options) =>
      (await import("./backup/create.js")).createBackup((await load()).config, file, options),
    restore: async (file, options) =>
      (await import("./backup/restore.js")).restoreBackup((await load()).config, file, options),
    clock: systemClock,
    out,
    err,
  });
  addMigrateCommand(program, {
    move: async (onProgress) =>
      (await import("./backup/move-database.js")).moveDatabase((await load()).config, onProgress),
    out,
    err,
  });
}

/** Adds the commands that manage models. */
async function addModels(
  program: Command,
  load: () => Promise<LoadedConfig>,
  open: () => Promise<LocalModels>,
): Promise<void> {
  const { addModelCommands } = await import("./cli/models/commands.js");
  const { addPullCommand } = await import("./cli/models/pull.js");
  const { importFolders } = await import("./cli/models/import-folders.js");
  const { systemClock } = await import("./system/clock.js");
  const { operatorOpener } = await import("./cli/command-helpers.js");
  const using = operatorOpener(async () =>
    (await import("./app/operator/open.js")).openModelOperator((await load()).config),
  );
  const folders = importFolders(process.env, homedir());
  addModelCommands(program, { open, using, load, folders, clock: systemClock, out });
  addPullCommand(program, {
    openPuller: async () =>
      (await import("./app/models/pulls.js")).openPuller((await load()).config, process.env, true),
    reportFit: async (bytes) =>
      (await import("./doctor/model-fit.js")).judgeBytes((await load()).config, bytes),
    using,
    out,
    err,
    onInterrupt,
  });
}

function onInterrupt(action: () => void): () => void {
  process.once("SIGINT", action);
  return () => process.off("SIGINT", action);
}

/** Exit codes: 0 success (help, version), 1 failure, 2 wrong usage. Commander prints its own error messages. */
function fail(thrown: unknown, isWrongUsage: boolean): number {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  err.write(`hearth: ${message}\n`);
  return isWrongUsage ? 2 : 1;
}
