/** Checks an installation, for `hearth doctor` and for a running server. */
import { type Config, type LoadedConfig, nameVariable, type ConfigName } from "../config/config.js";
import type { Model, ModelRegistry } from "../core/model.js";
import type { DoctorCheck, DoctorReport, DoctorSetting } from "../core/report/doctor.js";
import { gpuReportInOwnProcess } from "../engine/gpu/own-process.js";
import { gpuReport } from "../engine/gpu/report.js";
import type { RemoteEngineSettings } from "../engine/remote/pool.js";
import type { RunningNode } from "../store/nodes.js";
import { engineReports } from "./engine-report.js";
import { machineChecks } from "./machine-checks.js";
import { redisChecks } from "./redis-check.js";
import { serversChecks } from "./servers-check.js";
import type { TemplateReport } from "./template-report.js";
import { contextText } from "../core/report/context-text.js";
import { projectorText } from "../core/report/projector-text.js";
import { sizeText } from "../core/report/size-text.js";
import { isFree } from "../core/money.js";

/** The configuration of an installation. */
export interface ExaminedConfig {
  readonly config: Config;
  /** Where each setting comes from; null: no setting is shown. */
  readonly sources: LoadedConfig["sources"] | null;
}

/** What is examined besides the configuration and the machine. */
interface Examined {
  readonly models: ModelRegistry & { readonly warnings?: readonly string[] };
  /** Reads the chat template of a model; null in a running server, whose engine has read it. */
  readonly readTemplate: ((model: Model) => Promise<TemplateReport>) | null;
  /** Whether a team is charged. */
  readonly isPriced: () => Promise<boolean>;
  /** The pinned keys that work, in words. */
  readonly pins: readonly string[];
  /** Returns the servers that share the database. */
  readonly servers: () => Promise<readonly RunningNode[]>;
  readonly engines: readonly RemoteEngineSettings[];
  /** The running server of the data folder, in words; null: none is known, or it is what asks. */
  readonly running: string | null;
  /** What is wrong with the configuration; those settings have their defaults here. */
  readonly problems?: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Examines an installation. */
export async function examine(
  { config, sources }: ExaminedConfig,
  { models, readTemplate, isPriced, pins, servers, engines, running, problems = [], now }: Examined,
): Promise<DoctorReport> {
  const isServer = readTemplate === null;
  const areCharged = await isPriced();
  const modelChecks: DoctorCheck[] = [];
  for (const model of models.list()) {
    const template = model.unusable === null ? await readTemplate?.(model) : null;
    modelChecks.push(modelCheck(model, template ?? null, areCharged));
  }
  return {
    settings: sources === null ? [] : effectiveSettings({ config, sources }),
    checks: [
      ...problems.map((detail) => ({ name: "configuration", ok: false, detail })),
      ...(await machineChecks(config, { now, isServer, running })),
      ...pinnedKeysChecks(config, pins),
      ...(await redisChecks(config)),
      ...(await serversChecks(config, servers)),
      { name: "gpu", ...(await (isServer ? gpuReportInOwnProcess(config) : gpuReport(config))) },
      ...(await engineReports(engines)),
      ...modelChecks,
      ...(models.warnings ?? []).map(warningCheck),
    ],
  };
}

/** Lists the pinned keys, if there are any: they have all rights. */
function pinnedKeysChecks({ pinnedKeys }: Config, pins: readonly string[]): readonly DoctorCheck[] {
  if (pins.length === 0) return [];
  const until = pinnedKeys === "keep" ? "pinnedKeys keeps them" : "each ends with its setting";
  return [{ name: "pinned keys", ok: true, detail: `${pins.join(", ")}, with all rights; ${until}` }];
}

const secretSettings: readonly string[] = [
  "apiKey",
  "managementKey",
  "ollamaKey",
  "smtpUrl",
  "databaseUrl",
  "redisUrl",
];

/** Returns the effective settings, without secrets. */
function effectiveSettings({ config, sources }: LoadedConfig): readonly DoctorSetting[] {
  return (Object.keys(sources) as ConfigName[]).map((name) => ({
    name,
    value: valueText(name, config[name]),
    source: sources[name],
    variable: nameVariable(name),
  }));
}

function valueText(name: ConfigName, value: Config[ConfigName]): string {
  if (isSecret(name)) return value === null ? "not set" : "set";
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

function isSecret(name: string): boolean {
  return secretSettings.includes(name) || /(Secret|Password)$/.test(name);
}

/**
 * Returns what is known of a model.
 * @param template what rendering its chat template shows; null where it was not rendered
 * @param isPriced whether teams are charged, so that a model without a price is worth a remark
 */
function modelCheck(model: Model, template: TemplateReport | null, isPriced: boolean): DoctorCheck {
  const { id, contextTokens, bytes, kind, prices } = model.manifest;
  const { repairs = [], call = null, reasoning = null } = template ?? {};
  const parts = [sizeText(bytes), `${contextText(contextTokens, model.trainedTokens)} of context`];
  if (model.remote !== undefined) parts.push(`runs on ${model.remote.engine}`);
  if (model.load?.projector !== undefined) parts.push(projectorText(model.load.projector));
  if (model.projectorProblem !== undefined) parts.push(model.projectorProblem.replace(/\.$/, ""));
  if (call !== null) parts.push(`tool calls: ${oneLine(call)}`);
  if (reasoning !== null) parts.push(`reasoning: ${oneLine(reasoning)}`);
  const isUnpriced = isPriced && kind !== "vision" && isFree(prices);
  if (isUnpriced) parts.push("no price: `hearth prices set`");
  if (repairs.length > 0) parts.push(`strict chat template: ${repairs.join(", ")}`);
  return {
    name: `model ${id}`,
    ok: model.unusable === null,
    ...((isUnpriced || model.projectorProblem !== undefined) && model.unusable === null && { warning: true }),
    detail: model.unusable === null ? parts.join(", ") : `unusable: ${model.unusable}`,
  };
}

/** Returns what was skipped in the folders of models. */
function warningCheck(detail: string): DoctorCheck {
  return { name: "models folder", ok: true, warning: true, detail };
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}
