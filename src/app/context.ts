/**
 * Everything between the database and the HTTP server, built from the configuration, top to bottom: what comes later is built over what
 * comes before.
 */
import { openLimitCounting } from "../accounts/limits/counting.js";
import type { Config, LoadedConfig } from "../config/config.js";
import type { ServerLoad } from "../core/metrics.js";
import type { ModelRegistry } from "../core/model.js";
import { createReadiness } from "../doctor/readiness.js";
import type { AppContext, HttpLimits } from "../http/server/app-context.js";
import { createRequestLog } from "../inference/requests/request-log.js";
import { LiveRuns } from "../inference/run/live-runs.js";
import { RefusedBudgets } from "../jobs/alerts/conditions/refused-budgets.js";
import type { DiskSpace } from "../jobs/alerts/conditions/server.js";
import { createTakeOver } from "../jobs/take-over.js";
import type { Puller } from "../models/hub/puller.js";
import { Scheduler } from "../scheduler/scheduler.js";
import type { Database } from "../store/database.js";
import { startErasure } from "../store/erasure.js";
import { DatabaseHealth } from "../store/health.js";
import { createMetrics } from "../telemetry/metrics/server-metrics.js";
import { buildAuthentication, buildBudgetGuard } from "./accounts.js";
import { buildServerAccounts, type AccountOverrides } from "./server-accounts.js";
import { buildDoctor } from "./doctor.js";
import { buildEngines, type EngineOverrides, type Engines } from "./engines/engines.js";
import type { SystemDeps } from "./system-deps.js";
import { httpSettings } from "./http-settings.js";
import { buildAlerts } from "./jobs/alerts.js";
import { buildJobs } from "./jobs/jobs.js";
import { buildModelManagement } from "./models/management.js";
import { loadModels } from "./models/models.js";
import { buildRunners, type RunnerOverrides } from "./runners.js";
import type { Stores } from "./stores/stores.js";
import { buildTracing } from "./tracing.js";

/** Parts that are used instead of the parts that would be built. */
export interface ContextOverrides extends EngineOverrides, RunnerOverrides, AccountOverrides {
  /** The models of the server, instead of the models in the configured folders. */
  readonly registry?: ModelRegistry;
  /** LimitCounting of the HTTP server that the configuration does not set. */
  readonly httpLimits?: Partial<HttpLimits>;
  /** Opens what downloads models; absent: with no settings of the environment. */
  readonly openPuller?: () => Promise<Puller>;
  /** Returns the space of the disk of a folder, instead of what the system says. */
  readonly diskSpace?: (folder: string) => Promise<DiskSpace>;
  /** Stops the server, when a command asks for it; absent: no command can. */
  readonly requestStop?: AppContext["requestStop"];
  /** Where each setting comes from, for the people who read them; absent: no setting is shown. */
  readonly sources?: LoadedConfig["sources"];
  /** Folder of the guides, instead of src/docs or its copy in dist/. */
  readonly guidesFolder?: URL;
}

export type Built = Awaited<ReturnType<typeof buildContext>>;

/** Builds the context; nothing runs yet, and no model is loaded. @throws Error with one sentence for a setting that cannot be used. */
export async function buildContext(
  config: Config,
  overrides: ContextOverrides & Pick<AppContext, "linkBase">,
  { clock, random, logger }: SystemDeps,
  database: Database,
  stores: Stores,
) {
  const tracing = await buildTracing(config, { clock, random, logger });
  const system = { clock, random, logger, tracing };
  const watched = watchDatabase(database, system);

  const takeOver = createTakeOver(stores.nodes, { ...stores, ...system });
  await takeOver.atStart();

  const loaded = await loadModels(config, system, overrides.registry);
  const { models } = loaded;
  const scheduler = new Scheduler(config, clock, stores.broadcast);
  const engines = buildEngines(config, system, loaded, overrides);
  const load = (): ServerLoad => scheduler.readServerLoad(engines.all);
  const admission = await buildAdmission(config, system, stores, engines, load);
  const { limits, metrics, budgetGuard, authentication, keyUse } = admission;
  const liveRuns = new LiveRuns(clock, config.runsActiveMax);
  takeOver.watch(liveRuns);
  const parts = { ...admission, models, engines, scheduler, liveRuns };
  const runners = await buildRunners(config, overrides, system, stores, parts);
  const jobs = buildJobs(config, { ...stores, ...authentication, ...system, ...runners });
  const { diskSpace, sources = null } = overrides;
  const alerts = buildAlerts(config, { ...system, ...admission, stores, models, diskSpace });
  const managed = { ...loaded, ...stores, ...system, engines };
  const management = buildModelManagement(config, managed, overrides.openPuller);

  const context: AppContext = {
    ...httpSettings(config, system, overrides),
    ...system,
    ...authentication,
    ...runners,
    ...jobs.services,
    ...management.services,
    ...createReadiness({ ...watched, ...limits, models, engines }),
    budgetGuard,
    accounts: buildServerAccounts(config, { ...stores, ...system, passwordCost: overrides.passwordCost }),
    requestLog: createRequestLog({ ...stores, ...system, liveRuns }),
    alerts: alerts.service,
    readModels: () => Promise.resolve(models),
    imageStore: stores.images,
    hostedTokenizer: engines.hostedTokenizer,
    doctor: buildDoctor({ config, sources }, { ...stores, ...system, models }),
    metrics,
    serverNames: () => stores.nodes.names(),
    load,
  };
  const { modelUpkeep } = management;
  return {
    context,
    engines,
    scheduler,
    liveRuns,
    jobs,
    takeOver,
    alerts,
    modelUpkeep,
    keyUse,
    limits,
    tracing,
    ...watched,
  };
}

/** Builds what admits requests: keys, limits and budgets, and the metrics that count what becomes of them. */
async function buildAdmission(
  config: Config,
  system: SystemDeps,
  stores: Stores,
  engines: Engines,
  load: () => ServerLoad,
) {
  const limits = await openLimitCounting(config, { ...stores, ...system });
  const metrics = createMetrics(load, system.clock, config, limits.redis);
  const refused = new RefusedBudgets();
  const budgetGuard = buildBudgetGuard({
    ...stores,
    ...system,
    onRefusal: (statuses) => refused.add(statuses),
  });
  const { keyUse, ...authentication } = buildAuthentication({ ...stores, ...system, ...engines, ...limits });
  return { limits, metrics, refused, budgetGuard, authentication, keyUse };
}

/** Starts what runs beside the requests: the check of the database, and the erasure of deleted rows. */
function watchDatabase(database: Database, { clock, logger }: SystemDeps) {
  const health = new DatabaseHealth(database, clock, (problem) => {
    if (problem === null) logger.info({}, "the database can be used again");
    else logger.error({ problem }, "the database cannot be used");
  });
  const onError = (err: unknown): void => logger.error({ err }, "deleted rows could not be erased");
  return { health, erasure: startErasure(database, clock, onError) };
}
