/** The commands of the program. Each is one file of this folder, and imports what is slow to load, the server above all, when it runs. */
import { Command } from "commander";
import type { LocalModels } from "../app/models/models.js";
import type { Operator } from "../app/operator/open.js";
import type { CommandLineSettings, ExaminedSettings, LoadedConfig } from "../config/config.js";
import { systemClock } from "../system/clock.js";
import { version } from "../system/version.js";
import { addAccountCommands } from "./accounts/accounts.js";
import { addAlertsCommand } from "./alerts.js";
import { addBackupCommands } from "./backup/backup.js";
import { addMigrateCommand } from "./backup/migrate.js";
import { addBatchesCommand } from "./batches/batches.js";
import { addFilesCommand } from "./batches/files.js";
import { operatorOpener } from "./command-helpers.js";
import { addCompletionCommands } from "./completion/completion.js";
import { addDoctorCommand } from "./doctor.js";
import { addManCommand } from "./man-page.js";
import { addExamples, listCommands } from "./examples.js";
import { addModelCommands } from "./models/commands.js";
import { importFolders } from "./models/import-folders.js";
import { addPullCommand } from "./models/pull.js";
import { addNextSteps } from "./next-step.js";
import { addPsCommand } from "./ps.js";
import { addRequestsCommand } from "./requests/requests.js";
import { addRunCommand } from "./run/run.js";
import { addLogsCommand } from "./server/logs.js";
import { addStartCommand } from "./server/start.js";
import { addStopCommand } from "./server/stop.js";
import type { SupervisorChannel } from "./server/supervise.js";
import type { TextOut } from "./terminal.js";
import { addUnloadCommand } from "./unload.js";

/** What the commands have of the process that runs them. */
export interface ProgramIo {
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of the user. */
  readonly home: string;
  readonly out: TextOut;
  readonly err: TextOut;
  /** For what has to be exact where it is no terminal, such as exports. */
  readonly data: TextOut;
  /** For the contents of files. */
  readonly content: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Leads to the process that restarts the server; null in a process that is no server. */
  readonly supervisor: SupervisorChannel | null;
  /** Runs an action at the first Ctrl-C. @returns a function that undoes this. */
  readonly onInterrupt: (action: () => void) => () => void;
}

type Load = (options?: CommandLineSettings) => Promise<LoadedConfig>;

/** Returns the program with all its commands. */
export function createProgram(processIo: ProgramIo): Command {
  const { out, silence } = silenceable(processIo.out);
  const io = { ...processIo, out };
  const { environment, err, data, supervisor } = io;
  const program = new Command("hearth")
    .description(
      "A local, self-hosted model server: open models behind the interface of a hosted AI service.",
    )
    .version(version, "-v, --version")
    .option("--config <file>", "configuration file (default: hearth.yaml, where it exists)")
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text: string): unknown => out.write(text),
      writeErr: (text: string): unknown => err.write(text),
    })
    .exitOverride();
  const load: Load = async (options = {}) => {
    const { loadConfig } = await import("../config/config.js");
    return loadConfig(environment, program.opts<{ config?: string }>().config ?? null, options);
  };
  const examine = async (): Promise<ExaminedSettings> => {
    const { examineSettings } = await import("../config/config.js");
    return examineSettings(environment, program.opts<{ config?: string }>().config ?? null);
  };
  addStartCommand(program, load, { supervisor, environment });
  addStopCommand(program, {
    load,
    find: async (config) => (await import("../app/operator/open.js")).findOperatorServer(config),
    out,
    err,
  });
  addLogsCommand(program, { load, out, err, onInterrupt: io.onInterrupt });
  const openModels = async (): Promise<LocalModels> =>
    (await import("../app/models/models.js")).openLocalModels((await load()).config);
  addRunCommand(program, load, { open: openModels, environment, home: io.home, clock: systemClock });
  addPsCommand(program, load, { clock: systemClock, out, err });
  addModels(program, load, openModels, io);
  const openOperator = async (): Promise<Operator> =>
    (await import("../app/operator/open.js")).openOperator((await load()).config);
  addAccountCommands(program, openOperator, { clock: systemClock, out, err, data });
  addRequests(program, load, io);
  addBackups(program, load, io);
  addDoctorCommand(program, examine, systemClock, out);
  addCompletionCommands(program, { out, load, openModels, openOperator });
  addManCommand(program, out);
  addNextSteps(program, load, out);
  addOtherNames(program);
  addQuiet(program, silence);
  addExamples(program);
  return program;
}

/** Adds the commands of requests, alerts, batches, files and memory, which speak to the running server. */
function addRequests(program: Command, load: Load, { out, err, content }: ProgramIo): void {
  const openServer = async (): Promise<Operator> =>
    (await import("../app/operator/open.js")).openServer((await load()).config);
  const io = { load, clock: systemClock, out, err, content };
  addRequestsCommand(program, openServer, io);
  addAlertsCommand(program, openServer, io);
  addUnloadCommand(program, openServer, io);
  addBatchesCommand(program, io);
  addFilesCommand(program, io);
}

/** Adds the commands that back up and restore the data folder, and that move it to another database. */
function addBackups(program: Command, load: Load, { out, err, onInterrupt }: ProgramIo): void {
  const long = { clock: systemClock, out, err, onInterrupt };
  addBackupCommands(program, {
    create: async (file, options) =>
      (await import("../backup/create.js")).createBackup((await load()).config, file, options),
    restore: async (file, options) =>
      (await import("../backup/restore.js")).restoreBackup((await load()).config, file, options),
    ...long,
  });
  addMigrateCommand(program, {
    move: async (onProgress) =>
      (await import("../backup/move-database.js")).moveDatabase((await load()).config, onProgress),
    ...long,
  });
}

/** Adds the commands that manage models. */
function addModels(
  program: Command,
  load: Load,
  open: () => Promise<LocalModels>,
  { environment, home, out, err, onInterrupt }: ProgramIo,
): void {
  const using = operatorOpener(async () =>
    (await import("../app/operator/open.js")).openModelOperator((await load()).config),
  );
  const folders = importFolders(environment, home);
  const bandwidthWorkerUrl = new URL("../models/fit/worker.js", import.meta.url);
  const clock = systemClock;
  addModelCommands(program, { open, using, load, folders, bandwidthWorkerUrl, clock, out, err, onInterrupt });
  addPullCommand(program, {
    openPuller: async () =>
      (await import("../app/models/pulls.js")).openPuller((await load()).config, environment, true),
    reportFit: async (bytes) =>
      (await import("../doctor/model-fit.js")).judgeBytes((await load()).config, bytes),
    using,
    out,
    err,
    onInterrupt,
  });
}

// Commands as other programs call them: an error names the command of Hearth.

const otherNames: Readonly<Record<string, string>> = {
  serve: "start",
  up: "start",
  models: "ls",
  remove: "rm",
  status: "ps",
  top: "ps",
  chat: "run",
  download: "pull",
  install: "pull",
  info: "show",
  inspect: "show",
  config: "set",
  link: "import",
};

/** Makes the other names wrong usage with a suggestion. Call it after all commands were added: their own names are left alone. */
function addOtherNames(program: Command): void {
  for (const [other, name] of Object.entries(otherNames)) {
    const known = new Set(program.commands.map((command) => command.name()));
    if (known.has(other) || !known.has(name)) continue;
    program
      .command(other, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .helpOption(false)
      .action(() =>
        program.error(`error: unknown command '${other}'\n(Did you mean ${name}?)`, { exitCode: 2 }),
      );
  }
}

// `--quiet` of every command: no progress, no next step, and nothing of a command whose text only says that something was done.

/** Commands whose text only confirms a change; the text of every other command is what it was called for. */
const confirming: ReadonlySet<string> = new Set([
  ...["rm", "set", "unload", "prices set", "prices compare set", "prices compare rm"],
  ...["keys update", "keys disable", "keys enable", "keys block", "keys unblock", "keys rm"],
  ...["groups create", "groups set", "groups rm"],
  ...[
    "teams rename",
    "teams block",
    "teams unblock",
    "teams keep-bodies",
    "teams forget-bodies",
    "teams allow",
  ],
  ...["members update", "members rm", "management-keys rm"],
  ...["credits add", "credits refund", "credits adjust", "budgets set"],
  ...["requests cancel", "requests forget", "alerts test", "alerts rm", "batches cancel", "files rm"],
]);

/** Returns an output that can be silenced. */
function silenceable(out: TextOut): { readonly out: TextOut; readonly silence: () => void } {
  let isSilent = false;
  return {
    silence: () => (isSilent = true),
    out: {
      write: (text) => (isSilent ? undefined : out.write(text)),
      control: (sequence) => {
        if (isSilent) return undefined;
        return out.control === undefined ? out.write(sequence) : out.control(sequence);
      },
      get isTTY() {
        return out.isTTY === true;
      },
      get columns() {
        return out.columns ?? 80;
      },
    },
  };
}

/**
 * Adds the option to the commands that have none of their own. Call it after all commands were added.
 * @param silence stops the output of a command that was called with it
 */
function addQuiet(program: Command, silence: () => void): void {
  for (const [path, command] of listCommands(program)) {
    if (command.options.some(({ long }) => long === "--quiet")) continue;
    const isConfirming = confirming.has(path);
    command.option(
      "-q, --quiet",
      isConfirming ? "print nothing but errors" : "print nothing but what is asked for",
    );
    if (!isConfirming) continue;
    command.hook("preAction", () => {
      const { quiet, json } = command.opts<{ readonly quiet?: true; readonly json?: true }>();
      if (quiet === true && json !== true) silence();
    });
  }
}
