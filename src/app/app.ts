/**
 * The composition root: the only file that constructs the server, top to bottom from the configuration, and closes it in reverse
 * order. `overrides` is the test seam: a part that is given there is used instead of the part that would be built.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BudgetStatus } from "../accounts/budgets/budget.js";
import type { Config, LoadedConfig } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { Engine } from "../core/engine.js";
import { type Logger, silentLogger } from "../core/logger.js";
import type { ServerLoad } from "../core/metrics.js";
import type { ModelRegistry } from "../core/model.js";
import type { Random } from "../core/random.js";
import type { AppContext, HttpLimits } from "../http/server/app-context.js";
import { createMetrics } from "../telemetry/metrics/server-metrics.js";
import { BodyBudget } from "../core/requests/body-budget.js";
import { serveWebSockets } from "../http/inference/websocket/upgrade.js";
import { selectRoutes } from "../http/routes.js";
import { createHttpServer, type HttpServer, type Listening } from "../http/server/http-server.js";
import { createEmbedder } from "../inference/embeddings/embed.js";
import type { FileContents } from "../inference/files/contents.js";
import { createRequestLog } from "../inference/requests/request-log.js";
import { createImageGenerator } from "../inference/images/generate-images.js";
import type { RunStore } from "../inference/run/store/runs.js";
import { LiveRuns } from "../inference/run/live-runs.js";
import { createGenerator, type Generator } from "../inference/run/text/generator.js";
import { RefusedBudgets } from "../jobs/alerts/conditions/refused-budgets.js";
import type { DiskSpace } from "../jobs/alerts/conditions/server.js";
import { createScheduler, type Scheduler } from "../scheduler/scheduler.js";
import type { Database } from "../store/database.js";
import type { Puller } from "../models/hub/puller.js";
import type { Erasure } from "../store/erasure.js";
import type { DatabaseHealth } from "../store/health.js";
import type { NewDatabase } from "../store/lost-database.js";
import { systemClock, systemRandom } from "../system.js";
import {
  buildAuthentication,
  buildBudgetGuard,
  ensureFirstKeys,
  type FirstKeys,
  ownerSignIn,
  type OwnerSignIn,
} from "./accounts.js";
import { buildAlerts } from "./alerts/alerts.js";
import { buildLimits } from "./accounts/limits.js";
import { type AccountOverrides, buildServerAccounts } from "./accounts/server-accounts.js";
import { firstKeyFile, firstManagementKeyFile } from "./data-folder.js";
import { buildEngines, type EngineOverrides } from "./engines.js";
import { buildFiles, buildPromptFiles } from "./files.js";
import { buildJobs } from "./jobs/jobs.js";
import { createTakeOver } from "./jobs/take-over.js";
import { httpSettings } from "./http-settings.js";
import { buildRunServices } from "./server/run-services.js";
import { buildMcp } from "./mcp/connector.js";
import { loadModels } from "./models.js";
import { buildManagement } from "./server/management.js";
import { readiness } from "./remote/readiness.js";
import { buildStores, type DataFolder, openDataFolder, type Stores } from "./stores.js";
import type { TracedDeps } from "./chat-engine.js";
import { readServerLoad, watchDatabase } from "./watch/health.js";
import { buildTracing, type ClosableTracing } from "./watch/tracing.js";

export type { OpenAccounts, OwnerSignIn } from "./accounts.js";
export type { BackupOptions, BackupReport } from "./backup/create.js";
export type { RestoreOptions, RestoreReport } from "./backup/restore.js";
export type { MoveReport } from "./database/move.js";
export type {
  FitReport,
  LinkReport,
  MemoryReport,
  ModelAlias,
  ModelDetails,
  ModelInMemory,
  ModelSetting,
  OperatorModels,
} from "./operator-models.js";
export type { Listening };
export type { TemplateReport } from "./inspect/template-report.js";
export { examineInstallation } from "./doctor/report.js";
export { engineReports, type EngineReport } from "./inspect/engine-report.js";

/** Parts that are used instead of those that `createApp` would build. */
export interface Overrides extends EngineOverrides, AccountOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** An open database; the server closes it. */
  readonly database?: Database;
  /** Whether the server may start with an empty database where there was another one; default: refused. */
  readonly newDatabase?: NewDatabase;
  /** The models of the server, instead of those in the configured folders. */
  readonly registry?: ModelRegistry;
  /** Limits of the HTTP server that the configuration does not set. */
  readonly httpLimits?: Partial<HttpLimits>;
  /** Opens what downloads models; absent: with no settings of the environment. */
  readonly openPuller?: () => Promise<Puller>;
  /** Returns the space of the disk of a folder, instead of what the system says. */
  readonly diskSpace?: (folder: string) => Promise<DiskSpace>;
  /** Contents of files, instead of those in the data folder. */
  readonly fileContents?: FileContents;
  /** Where each setting comes from, for those who look at them; absent: no setting is shown. */
  readonly sources?: LoadedConfig["sources"];
  /** Folder of the guides, instead of src/docs or its copy in dist/. */
  readonly guidesFolder?: URL;
}

export interface App extends FirstKeys {
  /** Binds the configured address and starts the job queues. @throws Error with code EADDRINUSE or EACCES. */
  listen(): Promise<Listening>;
  /** Answers a request that came by another way than the bound address, as the simulation's do. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /**
   * Lets answers in flight finish within the grace time, then closes everything in reverse order. A second call waits for the
   * first.
   */
  close(): Promise<void>;
  /** Returns how the first owner signs in to the console. The first start makes a link for it. */
  ownerSignIn(): Promise<OwnerSignIn>;
  readonly firstKeyFile: string;
  readonly firstManagementKeyFile: string;
  readonly models: ModelRegistry;
  readonly generator: Generator;
  readonly liveRuns: LiveRuns;
  readonly scheduler: Scheduler;
  readonly runs: RunStore;
  readonly engine: Engine;
}

/**
 * Builds the whole server; nothing listens yet.
 * @throws Error with one clear sentence when the data folder cannot be used.
 */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const dataFolder = await openDataFolder(config, overrides);
  try {
    return await assemble(config, overrides, dataFolder);
  } catch (thrown) {
    await dataFolder.database.close();
    dataFolder.unlock();
    throw thrown;
  }
}

async function assemble(config: Config, overrides: Overrides, dataFolder: DataFolder): Promise<App> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = overrides;
  const system = { clock, random, logger };
  const { health, erasure } = watchDatabase(dataFolder.database, system);
  const stores = buildStores(config, dataFolder.database, random);
  const firstKeys = await ensureFirstKeys(config, { ...stores, ...system });
  const tracing = await buildTracing(config, system);
  const running = await buildRunning(config, overrides, { ...system, tracing }, stores);
  const { models, scheduler, generator, liveRuns } = running;
  const context: AppContext = {
    ...httpSettings(config, system, overrides.httpLimits),
    ...(overrides.guidesFolder === undefined ? {} : { guidesFolder: overrides.guidesFolder }),
    ...system,
    ...running.authentication,
    budgetGuard: running.budgetGuard,
    accounts: buildServerAccounts(config, { ...stores, ...system, passwordCost: overrides.passwordCost }),
    requestLog: running.requestLog,
    ...running.runners,
    imageStore: stores.images,
    hostedTokenizer: running.engines.hostedTokenizer,
    ...running.jobs.services,
    ...running.modelServices,
    ...running.inspection,
    pullJobs: running.pullJobs,
    metrics: running.metrics,
    tracing,
    serverNames: () => stores.nodes.names(),
    load: running.load,
    ...readiness(health, running),
  };
  const server = createHttpServer(context, { routes: selectRoutes(context), serveWebSockets });
  return {
    ...firstKeys,
    async listen() {
      const listening = await server.listen(config.host, config.port);
      await startWork(running);
      return listening;
    },
    handle: server.callback(),
    ownerSignIn: () => ownerSignIn({ ...stores, ...system }, firstKeys),
    close: once(() => closeAll(config, { ...running, ...dataFolder, health, server, erasure, tracing })),
    firstKeyFile: firstKeyFile(config),
    firstManagementKeyFile: firstManagementKeyFile(config),
    models,
    generator,
    liveRuns,
    scheduler,
    runs: stores.runs,
    engine: running.engines.engine,
  };
}

/** Starts what nobody waits for, once requests are taken. */
async function startWork({ takeOver, jobs, modelUpkeep, pullJobs, alerts }: Running): Promise<void> {
  await jobs.start();
  modelUpkeep.start();
  await pullJobs.start();
  takeOver.start(async () => {
    jobs.wake();
    await pullJobs.start();
  });
  alerts.start();
}

type Running = Awaited<ReturnType<typeof buildRunning>>;

/** Builds everything between the database and the HTTP server. */
async function buildRunning(config: Config, overrides: Overrides, system: TracedDeps, stores: Stores) {
  const takeOver = createTakeOver(stores.nodes, { ...stores, ...system });
  await takeOver.atStart();
  const loaded = await loadModels(config, system, overrides.registry);
  const { models, visionModel } = loaded;
  const scheduler = createScheduler(config, system.clock, stores.broadcast);
  const engines = buildEngines(config, system, visionModel, overrides);
  const load = (): ServerLoad => readServerLoad(engines.all, scheduler);
  const limits = await buildLimits(config, { ...stores, ...system });
  const metrics = createMetrics(load, system.clock, config, limits.redis);
  const refused = new RefusedBudgets();
  const onRefusal = (statuses: readonly BudgetStatus[]): void => refused.add(statuses);
  const budgetGuard = buildBudgetGuard({ ...stores, ...system, onRefusal });
  const liveRuns = new LiveRuns(system.clock, config.runsActiveMax);
  const services = buildRunServices(config, system, stores, { models, scheduler, budgetGuard, metrics });
  takeOver.watch(liveRuns);
  const { reasoningTokensMax } = config;
  const generator = createGenerator(liveRuns, { ...services, ...engines, reasoningTokensMax });
  const imageGenerator = createImageGenerator(liveRuns, { ...services, ...engines, images: stores.images });
  const embedder = createEmbedder(liveRuns, { ...services, ...engines });
  const { keyUse, ...authentication } = buildAuthentication({ ...stores, ...system, ...engines, ...limits });
  const files = await buildFiles(config, { ...stores, ...system }, overrides.fileContents);
  const promptFiles = buildPromptFiles(config, system, { ...engines, files, fetcher: overrides.fileFetcher });
  const mcp = buildMcp(config, system);
  const bodyBudget = new BodyBudget(system.clock, config.bodiesBytesMax);
  const runners = { models, generator, imageGenerator, embedder, files, promptFiles, mcp, bodyBudget };
  const jobs = buildJobs(config, { ...stores, ...authentication, ...system, ...runners });
  const { diskSpace } = overrides;
  const alerts = buildAlerts(config, { ...system, stores, models, metrics, refused, diskSpace });
  const managementDeps = { ...loaded, ...stores, ...system, engines, check: engines.onnxCheck };
  return {
    ...buildManagement(config, overrides, managementDeps),
    scheduler,
    engines,
    load,
    liveRuns,
    metrics,
    runners: { ...runners, alerts: alerts.service },
    ...runners,
    keyUse,
    limits,
    budgetGuard,
    requestLog: createRequestLog({ ...stores, ...system, liveRuns }),
    authentication,
    jobs,
    takeOver,
    alerts,
  };
}

interface Closing extends DataFolder, Running {
  readonly health: DatabaseHealth;
  readonly erasure: Erasure;
  readonly server: HttpServer;
  readonly tracing: ClosableTracing;
}

/** Closes everything that was built, in reverse order. */
async function closeAll({ shutdownGraceMs }: Config, parts: Closing): Promise<void> {
  const { engines } = parts;
  parts.modelUpkeep.stop();
  parts.takeOver.stop();
  await parts.alerts.close();
  parts.scheduler.close();
  // Clients that follow a background response would keep the server from closing.
  await Promise.all([parts.jobs.close(), parts.pullJobs.close()]);
  await parts.server.close(shutdownGraceMs);
  // Runs that are still active when the grace time is over are settled before the database closes.
  await parts.liveRuns.close();
  parts.limits.close();
  await parts.keyUse.close();
  await Promise.all(engines.all.map((engine) => engine.close()));
  await Promise.all([engines.schemas.close(), engines.hostedTokenizer.close(), engines.pdfs.close()]);
  await parts.tracing.close();
  parts.metrics.close();
  parts.health.close();
  parts.erasure.close();
  await parts.database.close();
  parts.unlock();
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= action());
}
