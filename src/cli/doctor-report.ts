/** What `hearth doctor` prints. */
import { examineInstallation } from "../app/doctor.js";
import type { LoadedConfig } from "../config/config.js";
import { formatJson } from "./table.js";
import type { DoctorReport } from "../core/report/doctor.js";

/**
 * Returns the report, and whether every check succeeded.
 * @param now milliseconds since 1970
 */
export async function reportInstallation(
  loaded: LoadedConfig,
  now: number,
  isJson: boolean,
): Promise<{ readonly text: string; readonly isOk: boolean }> {
  const report = await examineInstallation(loaded, now);
  return {
    text: isJson ? formatJson(report) : asText(report),
    isOk: report.checks.every(({ ok }) => ok),
  };
}

function asText({ settings, checks }: DoctorReport): string {
  const width = Math.max(...settings.map((row) => row.name.length));
  const valueWidth = Math.max(...settings.map((row) => row.value.length));
  const lines = settings.map(
    (row) => `  ${row.name.padEnd(width)}  ${row.value.padEnd(valueWidth)}  ${row.source}`,
  );
  const marks = checks.map((check) => `  ${check.ok ? "ok  " : "FAIL"}  ${check.name}: ${check.detail}`);
  return ["Settings", ...lines, "", "Checks", ...marks, ""].join("\n");
}
