/** Checks the installation and formats what was found, with the effective settings. */
import { constants, existsSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import {
  certificateReport,
  engineReports,
  gpuReport,
  hasPrepaidTeam,
  keptThreads,
  openCheckedRegistry,
  readLastBackup,
  readTemplateOf,
  type TemplateReport,
} from "../app/app.js";
import { variableOf, type Config, type LoadedConfig, type SettingName } from "../config.js";
import type { Model } from "../core/model.js";
import { isFree } from "../core/money.js";
import { version } from "../version.js";
import { contextText } from "./context-text.js";
import { exactSizeText } from "./size-text.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Returns the report, and whether every check succeeded.
 * @param now milliseconds since 1970
 */
export async function examine(
  loaded: LoadedConfig,
  now: number,
  isJson: boolean,
): Promise<{ readonly text: string; readonly isOk: boolean }> {
  const registry = await openCheckedRegistry(loaded.config);
  // The database may be broken, which other commands report.
  const isPriced = await hasPrepaidTeam(loaded.config).catch(() => false);
  const models: Check[] = [];
  for (const model of registry.list())
    models.push(modelCheck(model, model.unusable === null ? await readTemplateOf(model) : null, isPriced));
  const checks = [
    ...(await machineChecks(loaded.config, now)),
    ...(await engineReports(loaded.config)),
    ...models,
    ...registry.warnings.map(warningCheck),
  ];
  return {
    text: isJson ? asJson(loaded, checks) : asText(loaded, checks),
    isOk: checks.every(({ ok }) => ok),
  };
}

async function machineChecks(config: Config, now: number): Promise<readonly Check[]> {
  const certificate = certificateReport(config, now);
  return [
    {
      name: "version",
      ok: true,
      detail: `Hearth ${version}, Node.js ${process.versions.node}, ${process.platform}-${process.arch}`,
    },
    await folderCheck(config.data),
    await backupCheck(config),
    await portCheck(config),
    ...(certificate === null ? [] : [{ name: "certificate", ...certificate }]),
    ...tracesChecks(config),
    threadsCheck(config),
    { name: "gpu", ...(await gpuReport(config)) },
  ];
}

/** Nothing where no traces are wanted. */
function tracesChecks({ traceExport }: Config): readonly Check[] {
  switch (traceExport.state) {
    case "off":
      return [];
    case "refused":
      return [{ name: "traces", ok: false, detail: traceExport.reason }];
    case "on":
      return [{ name: "traces", ok: true, detail: `exported by ${traceExport.protocol}` }];
  }
}

async function folderCheck(folder: string): Promise<Check> {
  const nearest = nearestExisting(folder);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.R_OK | constants.W_OK);
    return { name: "data folder", ok: true, detail: `${folder} is writable` };
  } catch (thrown) {
    return { name: "data folder", ok: false, detail: `${folder} is not writable: ${reason(thrown)}` };
  }
}

/** Does not check that the backup still exists: it may have been moved. */
async function backupCheck(config: Config): Promise<Check> {
  const last = await readLastBackup(config);
  const detail =
    last === null
      ? "none of this data folder yet: `hearth backup FILE`"
      : `the last one is of ${last.created}, ${exactSizeText(last.bytes)}, ${last.file}`;
  return { name: "backup", ok: true, detail };
}

/** Threads made for every token only cost speed, so the check does not fail. */
function threadsCheck({ threadPool }: Config): Check {
  const state = keptThreads(threadPool);
  const detail =
    state.type === "kept"
      ? "kept between tokens"
      : `made anew for every token, which costs a model that uses several threads up to a third of its speed: ${state.reason}`;
  return { name: "threads", ok: true, detail };
}

/** Returns the folder or its nearest parent that exists. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** A port in use does not fail the check, because the server itself may use it. */
function portCheck(config: Config): Promise<Check> {
  const address = `${config.host}:${config.port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) =>
      resolve({ name: "port", ok: true, detail: `${address} is not available: ${reason(error)}` }),
    );
    probe.listen(config.port, config.host, () => {
      probe.close(() => resolve({ name: "port", ok: true, detail: `${address} is available` }));
    });
  });
}

/** @param isPriced whether teams are charged, so that a model without a price is worth a remark */
function modelCheck(model: Model, template: TemplateReport | null, isPriced: boolean): Check {
  const { id, contextTokens, bytes, kind, prices } = model.manifest;
  const { repairs = [], call = null, reasoning = null } = template ?? {};
  const parts = [
    `${(bytes / 1e6).toFixed(1)} MB`,
    `${contextText(contextTokens, model.trainedTokens)} of context`,
  ];
  if (model.remote !== undefined) parts.push(`runs on ${model.remote.engine}`);
  if (call !== null) parts.push(`tool calls: ${oneLine(call)}`);
  if (reasoning !== null) parts.push(`reasoning: ${oneLine(reasoning)}`);
  if (isPriced && kind !== "vision" && isFree(prices)) parts.push("no price: `hearth prices set`");
  if (repairs.length > 0) parts.push(`strict chat template: ${repairs.join(", ")}`);
  return {
    name: `model ${id}`,
    ok: model.unusable === null,
    detail: model.unusable === null ? parts.join(", ") : `unusable: ${model.unusable}`,
  };
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}

function warningCheck(detail: string): Check {
  return { name: "models folder", ok: true, detail };
}

function reason(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown
    ? String(thrown.code)
    : thrown instanceof Error
      ? thrown.message
      : String(thrown);
}

const secretSettings: readonly SettingName[] = ["apiKey", "managementKey", "ollamaKey", "oidcClientSecret"];

interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly variable: string;
}

function settingRows({ config, sources }: LoadedConfig): readonly SettingRow[] {
  return (Object.keys(sources) as SettingName[]).map((name) => ({
    name,
    value: valueText(name, config[name]),
    source: sources[name],
    variable: variableOf(name),
  }));
}

function valueText(name: SettingName, value: Config[SettingName]): string {
  if (secretSettings.includes(name)) return value === null ? "not set" : "set";
  if (!Array.isArray(value)) return String(value);
  const items: readonly unknown[] = value;
  if (name === "engines") return JSON.stringify(items.map(withoutKey));
  return items.every((item) => typeof item === "string") ? items.join(",") : JSON.stringify(items);
}

/** Returns the setting of an engine without its API key. */
function withoutKey(engine: unknown): unknown {
  const { apiKey, ...rest } = engine as { readonly apiKey: string | null };
  return { ...rest, apiKey: apiKey === null ? "not set" : "set" };
}

function asText(loaded: LoadedConfig, checks: readonly Check[]): string {
  const settings = settingRows(loaded);
  const width = Math.max(...settings.map((row) => row.name.length));
  const valueWidth = Math.max(...settings.map((row) => row.value.length));
  const lines = settings.map(
    (row) => `  ${row.name.padEnd(width)}  ${row.value.padEnd(valueWidth)}  ${row.source}`,
  );
  const marks = checks.map((check) => `  ${check.ok ? "ok  " : "FAIL"}  ${check.name}: ${check.detail}`);
  return ["Settings", ...lines, "", "Checks", ...marks, ""].join("\n");
}

function asJson(loaded: LoadedConfig, checks: readonly Check[]): string {
  return `${JSON.stringify({ settings: settingRows(loaded), checks }, null, 2)}\n`;
}
