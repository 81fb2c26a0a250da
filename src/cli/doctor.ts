/** `hearth doctor`: what the server would start with, where each setting comes from, and what is wrong, if anything. */
import { constants, existsSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Command } from "commander";
import { openRegistry } from "../app/app.js";
import { variableOf, type Config, type LoadedConfig, type SettingName } from "../config.js";
import type { Model } from "../core/model.js";
import { version } from "../version.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Adds the command; its exit code is 1 when something is wrong. */
export function addDoctorCommand(program: Command, load: () => LoadedConfig): void {
  program
    .command("doctor")
    .description("print the effective settings, the models, and what is wrong")
    .option("--json", "print one JSON object")
    .action(async (options: { json?: boolean }) => {
      const loaded = load();
      const registry = await openRegistry(loaded.config);
      const checks = [
        ...(await machineChecks(loaded.config)),
        ...registry.list().map(modelCheck),
        ...registry.warnings.map(warned),
      ];
      process.stdout.write(options.json === true ? asJson(loaded, checks) : asText(loaded, checks));
      if (checks.some((check) => !check.ok)) process.exitCode = 1;
    });
}

async function machineChecks(config: Config): Promise<readonly Check[]> {
  return [
    {
      name: "version",
      ok: true,
      detail: `Hearth ${version}, Node.js ${process.versions.node}, ${process.platform}-${process.arch}`,
    },
    await folderCheck(config.data),
    await portCheck(config),
  ];
}

async function folderCheck(folder: string): Promise<Check> {
  const nearest = nearestExisting(folder);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.R_OK | constants.W_OK);
    return { name: "data folder", ok: true, detail: `${folder} can be written` };
  } catch (thrown) {
    return { name: "data folder", ok: false, detail: `${folder} cannot be written: ${reason(thrown)}` };
  }
}

/** The folder itself, or the first one above it that is there. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** A port in use is no fault here: the server itself may be the one that uses it. */
function portCheck(config: Config): Promise<Check> {
  const where = `${config.host}:${config.port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) =>
      resolve({ name: "port", ok: true, detail: `${where} is not free now: ${reason(error)}` }),
    );
    probe.listen(config.port, config.host, () => {
      probe.close(() => resolve({ name: "port", ok: true, detail: `${where} is free` }));
    });
  });
}

function modelCheck(model: Model): Check {
  const { id, contextTokens, bytes } = model.manifest;
  const size = `${(bytes / 1e6).toFixed(1)} MB, ${contextTokens} tokens of context`;
  return {
    name: `model ${id}`,
    ok: model.unusable === null,
    detail: model.unusable === null ? size : `unusable: ${model.unusable}`,
  };
}

function warned(detail: string): Check {
  return { name: "models folder", ok: true, detail };
}

function reason(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown
    ? String(thrown.code)
    : thrown instanceof Error
      ? thrown.message
      : String(thrown);
}

const secrets: readonly SettingName[] = ["apiKey", "managementKey"];

interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly variable: string;
}

function rows({ config, sources }: LoadedConfig): readonly SettingRow[] {
  return (Object.keys(config) as SettingName[]).map((name) => ({
    name,
    value: secrets.includes(name) ? (config[name] === null ? "not set" : "set") : String(config[name]),
    source: sources[name],
    variable: variableOf(name),
  }));
}

function asText(loaded: LoadedConfig, checks: readonly Check[]): string {
  const settings = rows(loaded);
  const width = Math.max(...settings.map((row) => row.name.length));
  const valueWidth = Math.max(...settings.map((row) => row.value.length));
  const lines = settings.map(
    (row) => `  ${row.name.padEnd(width)}  ${row.value.padEnd(valueWidth)}  ${row.source}`,
  );
  const marks = checks.map((check) => `  ${check.ok ? "ok  " : "FAIL"}  ${check.name}: ${check.detail}`);
  return ["Settings", ...lines, "", "Checks", ...marks, ""].join("\n");
}

function asJson(loaded: LoadedConfig, checks: readonly Check[]): string {
  return `${JSON.stringify({ settings: rows(loaded), checks }, null, 2)}\n`;
}
