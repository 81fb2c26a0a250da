/** The part of the composition root that checks an installation, for `hearth doctor` and for a running server. */
import type { LoadedConfig } from "../../config/config.js";
import type { DoctorCheck, DoctorReport } from "../../core/report/doctor.js";
import type { ModelRegistry } from "../../core/model.js";
import type { RunningNode } from "../../store/nodes.js";
import { hasPrepaidTeam } from "../accounts.js";
import { runningServers } from "../database/open.js";
import { gpuReportInOwnProcess } from "../gpu/own-process.js";
import { gpuReport } from "../gpu/report.js";
import { engineReports } from "../inspect/engine-report.js";
import { openCheckedRegistry } from "../inspect/checked-registry.js";
import { readModelTemplate } from "../inspect/template-report.js";
import { machineChecks } from "./machine-checks.js";
import { modelCheck, warningCheck } from "./model-checks.js";
import { redisChecks } from "./redis-check.js";
import { serversChecks } from "./servers-check.js";
import { effectiveSettings } from "./settings.js";

/**
 * Checks an installation without its server: models are loaded on trial, and their chat templates rendered.
 * @param now milliseconds since 1970
 */
export async function examineInstallation(loaded: LoadedConfig, now: number): Promise<DoctorReport> {
  const { config } = loaded;
  const registry = await openCheckedRegistry(config);
  // The database may be broken, which other commands report.
  const isPriced = await hasPrepaidTeam(config).catch(() => false);
  const models: DoctorCheck[] = [];
  for (const model of registry.list())
    models.push(modelCheck(model, model.unusable === null ? await readModelTemplate(model) : null, isPriced));
  return {
    settings: effectiveSettings(loaded),
    checks: [
      ...(await machineChecks(config, { now, isServer: false })),
      ...(await redisChecks(config)),
      ...(await serversChecks(config, () => runningServers(config))),
      { name: "gpu", ...(await gpuReport(config)) },
      ...(await engineReports(config)),
      ...models,
      ...registry.warnings.map(warningCheck),
    ],
  };
}

/** The configuration of a running server. */
export interface ServerConfig extends Pick<LoadedConfig, "config"> {
  /** null: no setting is shown. */
  readonly sources: LoadedConfig["sources"] | null;
}

export interface ExaminedServer {
  readonly models: ModelRegistry & { readonly warnings?: readonly string[] };
  /** Whether a team is charged. */
  readonly isPriced: () => Promise<boolean>;
  /** The servers that share the database. */
  readonly servers: () => Promise<readonly RunningNode[]>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns what checks a running server, which knows its models already. Calls at the same time get the same report. */
export function examineServer(
  { config, sources }: ServerConfig,
  { models, isPriced, servers, now }: ExaminedServer,
): () => Promise<DoctorReport> {
  let examining: Promise<DoctorReport> | null = null;
  const examine = async (): Promise<DoctorReport> => {
    const areCharged = await isPriced();
    return {
      settings: sources === null ? [] : effectiveSettings({ config, sources }),
      checks: [
        ...(await machineChecks(config, { now: now(), isServer: true })),
        ...(await redisChecks(config)),
        ...(await serversChecks(config, servers)),
        { name: "gpu", ...(await gpuReportInOwnProcess(config)) },
        ...(await engineReports(config)),
        ...models.list().map((model) => modelCheck(model, null, areCharged)),
        ...(models.warnings ?? []).map(warningCheck),
      ],
    };
  };
  return () => (examining ??= examine().finally(() => (examining = null)));
}
