/** `hearth doctor`: prints the effective settings and their sources, the models, and problems of the installation. */
import type { Command } from "commander";
import type { LoadedConfig } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { TextOut } from "./terminal.js";

/** Adds the command; its exit code is 1 if a check fails. */
export function addDoctorCommand(
  program: Command,
  load: () => Promise<LoadedConfig>,
  clock: Clock,
  out: TextOut,
): void {
  program
    .command("doctor")
    .description("print the effective settings, the models, and problems")
    .option("--json", "print one JSON object")
    .action(async ({ json }: { json?: boolean }) => {
      const { reportInstallation } = await import("./doctor-report.js");
      const { text, isOk } = await reportInstallation(await load(), clock.now(), json === true);
      out.write(text);
      if (!isOk) process.exitCode = 1;
    });
}
