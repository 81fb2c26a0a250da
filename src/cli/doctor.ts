/** `hearth doctor`: prints the effective settings and their sources, the models, and problems of the installation. */
import type { Command } from "commander";
import type { LoadedConfig } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { DoctorReport } from "../core/report/doctor.js";
import { formatJson } from "./table.js";
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
      const { examineInstallation } = await import("../app/doctor.js");
      const report = await examineInstallation(await load(), clock.now());
      out.write(json === true ? formatJson(report) : toText(report));
      if (report.checks.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

function toText({ settings, checks }: DoctorReport): string {
  const width = Math.max(...settings.map((row) => row.name.length));
  const valueWidth = Math.max(...settings.map((row) => row.value.length));
  const lines = settings.map(
    (row) => `  ${row.name.padEnd(width)}  ${row.value.padEnd(valueWidth)}  ${row.source}`,
  );
  const marks = checks.map((check) => `  ${check.ok ? "ok  " : "FAIL"}  ${check.name}: ${check.detail}`);
  return ["Settings", ...lines, "", "Checks", ...marks, ""].join("\n");
}
