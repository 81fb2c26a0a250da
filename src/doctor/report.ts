/** Checks an installation, for `hearth doctor` and for a running server. */
import type { Config, LoadedConfig } from "../config/config.js";
import type { Model, ModelRegistry } from "../core/model.js";
import type { DoctorCheck, DoctorReport } from "../core/report/doctor.js";
import { gpuReportInOwnProcess } from "../engine/gpu/own-process.js";
import { gpuReport } from "../engine/gpu/report.js";
import type { RemoteEngineSettings } from "../engine/remote/pool.js";
import type { RunningNode } from "../store/nodes.js";
import { engineReports } from "./engine-report.js";
import { machineChecks } from "./machine-checks.js";
import { modelCheck, warningCheck } from "./model-checks.js";
import { pinnedKeysChecks } from "./pinned-keys-check.js";
import { redisChecks } from "./redis-check.js";
import { serversChecks } from "./servers-check.js";
import { effectiveSettings } from "./settings.js";
import type { TemplateReport } from "./template-report.js";

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
