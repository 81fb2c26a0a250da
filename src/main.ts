#!/usr/bin/env node
/** The process: reads the command line and hands over to the command; each command is one file of cli/. */
import { Command, CommanderError } from "commander";
import { openKeys } from "./app.js";
import { addDoctorCommand } from "./cli/doctor.js";
import { addKeysCommand } from "./cli/keys.js";
import { addRunCommand } from "./cli/run.js";
import { addStartCommand } from "./cli/start.js";
import { ConfigError, loadConfig, type LoadedConfig } from "./config.js";
import { systemClock } from "./system.js";
import { version } from "./version.js";

const program = new Command("hearth")
  .description("A local, self-hosted model server: open models behind the interface of a hosted AI service.")
  .version(version, "-v, --version")
  .option("--config <file>", "configuration file (default: hearth.yaml, where it exists)")
  .showSuggestionAfterError()
  .exitOverride();

const load = (): LoadedConfig => loadConfig(process.env, program.opts<{ config?: string }>().config ?? null);

addStartCommand(program, load);
addRunCommand(program, load);
addKeysCommand(program, () => openKeys(load().config), { clock: systemClock, out: process.stdout });
addDoctorCommand(program, load);

try {
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = exitCodeOf(thrown);
}

/** 0 done (help, version), 1 failed, 2 wrong usage; commander has printed its own complaint already. */
function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(`hearth: ${message}\n`);
  return thrown instanceof ConfigError ? 2 : 1;
}
