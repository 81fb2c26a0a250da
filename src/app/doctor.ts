/** The part of the composition root that builds the checks of an installation. */
import { listStoredPins } from "../accounts/keys/pinned-keys.js";
import type { Config, ExaminedSettings } from "../config/config.js";
import { silentLogger } from "../core/logger.js";
import type { ModelRegistry } from "../core/model.js";
import type { DoctorReport } from "../core/report/doctor.js";
import { engineReports, type EngineReport } from "../doctor/engine-report.js";
import { examine, type ExaminedConfig } from "../doctor/report.js";
import { rejectUnloadableModels } from "../doctor/model-trials.js";
import { readModelTemplate } from "../doctor/template-report.js";
import type { SystemDeps } from "./system-deps.js";
import { remoteEngines } from "./engines/remote.js";
import { buildGgufTrials, buildOnnxCheck } from "./engines/trials.js";
import { openRegistry } from "./models/models.js";
import { findOperatorServer, readDataLock } from "./operator/open.js";
import { runningServers, openForCommand } from "./stores/open-database.js";
import type { Stores } from "./stores/stores.js";
import { createTeamStore } from "../accounts/teams/store.js";
import { hasDatabase } from "../store/data-folder.js";
import { createApiKeyStore } from "../accounts/keys/store.js";
import { createManagementKeyStore } from "../accounts/management-keys/store.js";

/** Examines an installation without a server, for `hearth doctor`: its models are loaded once, in processes of their own. */
export async function examineInstallation(
  { loaded, problems }: ExaminedSettings,
  now: number,
): Promise<DoctorReport> {
  const { config } = loaded;
  const models = await openRegistry(config);
  const trial = { logger: silentLogger, isAwaited: true };
  const checks = { onnx: buildOnnxCheck(config, trial), gguf: buildGgufTrials(config, trial) };
  await rejectUnloadableModels(models, checks);
  return examine(loaded, {
    models,
    readTemplate: readModelTemplate,
    // The database may be broken, which other commands report.
    isPriced: () => hasPrepaidTeam(config).catch(() => false),
    pins: await readStoredPins(config).catch(() => []),
    servers: () => runningServers(config),
    engines: remoteEngines(config),
    running: await describeServer(config),
    problems,
    now,
  });
}

/** Returns which server uses the data folder; null where none answers. */
async function describeServer(config: Config): Promise<string | null> {
  const server = await findOperatorServer(config);
  if (server === null) return null;
  await server.close();
  const lock = await readDataLock(config).catch(() => null);
  return lock === null ? "the server runs" : `the server runs (pid ${lock.pid})`;
}

/** Returns what examines a running server, which knows its models already. Calls at the same time get the same report. */
export function buildDoctor(
  examined: ExaminedConfig,
  {
    teams,
    keys,
    managementKeys,
    nodes,
    clock,
    models,
  }: Stores & SystemDeps & { readonly models: ModelRegistry },
): () => Promise<DoctorReport> {
  let examining: Promise<DoctorReport> | null = null;
  const examineNow = async (): Promise<DoctorReport> =>
    examine(examined, {
      models,
      readTemplate: null,
      isPriced: async () => (await teams.list()).some(({ billing }) => billing === "prepaid"),
      pins: await listStoredPins(keys, managementKeys),
      servers: () => nodes.running(),
      engines: remoteEngines(examined.config),
      running: null,
      now: clock.now(),
    });
  return () => (examining ??= examineNow().finally(() => (examining = null)));
}

/** Asks the servers of a remote engine. @param id as `RemotePlacement.engineId` */
export function examineEngine(
  { config }: { readonly config: Config },
  id: string,
): Promise<readonly EngineReport[]> {
  return engineReports(remoteEngines(config).filter((engine) => engine.id === id));
}

/** Whether a team pays for what it uses. Without a database there is none; no database is created. */
async function hasPrepaidTeam(config: Config): Promise<boolean> {
  if (!hasDatabase(config)) return false;
  const database = await openForCommand(config);
  try {
    return (await createTeamStore(database).list()).some(({ billing }) => billing === "prepaid");
  } finally {
    await database.close();
  }
}

/** Returns the pinned keys of the configured database; no database is created. */
async function readStoredPins(config: Config): Promise<readonly string[]> {
  if (!hasDatabase(config)) return [];
  const database = await openForCommand(config);
  try {
    const managementKeys = createManagementKeyStore(database);
    return await listStoredPins(createApiKeyStore(database), managementKeys);
  } finally {
    await database.close();
  }
}
