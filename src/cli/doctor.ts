/** `hearth doctor`: checks the installation, and prints the settings that differ from their defaults. */
import type { Command } from "commander";
import type { ExaminedSettings } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { DoctorCheck, DoctorReport } from "../core/report/doctor.js";
import { formatJson } from "./table.js";
import type { TextOut } from "./terminal.js";

interface DoctorOptions {
  readonly all?: true;
  readonly json?: true;
}

/** Adds the command; its exit code is 1 if a check fails. @param examine reads the configuration, and what is wrong with it */
export function addDoctorCommand(
  program: Command,
  examine: () => Promise<ExaminedSettings>,
  clock: Clock,
  out: TextOut,
): void {
  program
    .command("doctor")
    .description("check the installation, and print the settings that differ from their defaults")
    .option("--all", "print all settings")
    .option("--json", "print one JSON object with all settings")
    .action(async ({ all, json }: DoctorOptions) => {
      const { examineInstallation } = await import("../app/doctor.js");
      const report = await examineInstallation(await examine(), clock.now());
      out.write(json === true ? formatJson(report) : toText(report, all === true, lineWidth(out)));
      if (report.checks.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

/** Returns the characters of a line; null where it is no terminal. */
function lineWidth({ isTTY, columns = 80 }: TextOut): number | null {
  return isTTY === true ? columns : null;
}

function toText({ settings, checks }: DoctorReport, isAll: boolean, width: number | null): string {
  const shown = settings.filter(({ source }) => isAll || !isDefault(source));
  const names = Math.max(0, ...shown.map(({ name }) => name.length));
  const values = Math.max(0, ...shown.map(({ value }) => value.length));
  const marks = checks.flatMap((check) =>
    wrap(`  ${state(check).padEnd(7)}  ${check.name}: ${check.detail}`, width),
  );
  const lines = shown.map(
    ({ name, value, source }) => `  ${name.padEnd(names)}  ${value.padEnd(values)}  ${source}`,
  );
  const others = settings.length - shown.length;
  const left = others === 0 ? [] : [`  ${others} have their defaults: hearth doctor --all`];
  return ["Checks", ...marks, "", "Settings", ...lines, ...left, "", sumText(checks), ""].join("\n");
}

function isDefault(source: string): boolean {
  return source.startsWith("default");
}

function state({ ok, warning }: DoctorCheck): "ok" | "warning" | "failed" {
  if (!ok) return "failed";
  return warning === true ? "warning" : "ok";
}

function sumText(checks: readonly DoctorCheck[]): string {
  const count = (wanted: ReturnType<typeof state>): number =>
    checks.filter((check) => state(check) === wanted).length;
  const [ok, warnings, failed] = [count("ok"), count("warning"), count("failed")];
  return `${ok} ok, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, ${failed} failed`;
}

/** Breaks a line between words, with the rest below the name of the check. */
function wrap(line: string, width: number | null): readonly string[] {
  if (width === null || line.length <= width) return [line];
  const indent = " ".repeat(11);
  const lines: string[] = [];
  let current = "";
  for (const word of line.trimStart().split(" ")) {
    const longer = current === "" ? `${lines.length === 0 ? "  " : indent}${word}` : `${current} ${word}`;
    if (longer.length <= width || current === "") current = longer;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current];
}
