#!/usr/bin/env node
/**
 * The process: reads the command line and hands over to the command; each command is one file of cli/. `hearth start` becomes
 * the supervisor of a second process, which comes here again with a bond to it. The supervisor stays small: nothing but
 * cli/supervise.ts is imported before it is known which of the two this is.
 */
import { fileURLToPath } from "node:url";
import { bondFrom, isStart, supervise, type ServerBond } from "./cli/server/supervise.js";
import type { LoadedConfig } from "./config.js";

const args = process.argv.slice(2);
const bond = bondFrom(args);
if (bond === null && isStart(args)) process.exitCode = await supervise(fileURLToPath(import.meta.url), args);
else await runCommand(bond === null ? args : args.slice(1), bond);

async function runCommand(words: readonly string[], supervisor: ServerBond | null): Promise<void> {
  const { Command, CommanderError } = await import("commander");
  const { openAccounts } = await import("./app/app.js");
  const { addAccountCommands } = await import("./cli/accounts/accounts.js");
  const { addDoctorCommand } = await import("./cli/doctor.js");
  const { addPsCommand } = await import("./cli/ps.js");
  const { addRunCommand } = await import("./cli/run.js");
  const { addStartCommand } = await import("./cli/server/start.js");
  const { ConfigError, loadConfig } = await import("./config.js");
  const { systemClock } = await import("./system.js");
  const { version } = await import("./version.js");

  const program = new Command("hearth")
    .description(
      "A local, self-hosted model server: open models behind the interface of a hosted AI service.",
    )
    .version(version, "-v, --version")
    .option("--config <file>", "configuration file (default: hearth.yaml, where it exists)")
    .showSuggestionAfterError()
    .exitOverride();
  const load = (): LoadedConfig =>
    loadConfig(process.env, program.opts<{ config?: string }>().config ?? null);
  addStartCommand(program, load, supervisor);
  addRunCommand(program, load);
  addPsCommand(program, load, { clock: systemClock, out: process.stdout });
  addAccountCommands(program, () => openAccounts(load().config), { clock: systemClock, out: process.stdout });
  addDoctorCommand(program, load);

  try {
    await program.parseAsync(words, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : 2;
    else process.exitCode = fail(thrown, thrown instanceof ConfigError);
  }
}

/** 0 done (help, version), 1 failed, 2 wrong usage; commander prints its own complaints. */
function fail(thrown: unknown, isWrongUsage: boolean): number {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(`hearth: ${message}\n`);
  return isWrongUsage ? 2 : 1;
}
