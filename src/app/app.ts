/**
 * The composition root: the only file that constructs things, top to bottom from the configuration, and takes them down in
 * reverse. `overrides` is the test seam: whatever is given there is used instead of what would be built.
 */
import {
  buildAccounts,
  buildAccountStores,
  buildDoors,
  makeFirstKeys,
  type Doors,
  type FirstKeys,
} from "./accounts.js";
import { databaseFile, firstKeyFile, firstManagementKeyFile } from "./data-folder.js";
import { buildDrawing } from "./images.js";
import { openRegistry } from "./models.js";
import { buildRunning, type GivenEngines } from "./engines.js";
import { buildUnattended, type Unattended } from "./jobs.js";
import { isLoopback, type Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import type { Engine } from "../core/engine.js";
import type { ServerLoad } from "../core/metrics.js";
import type { ModelRegistry } from "../core/model.js";
import type { Random } from "../core/random.js";
import type { RunStore } from "../inference/run/run-record.js";
import { defaultHttpLimits, type HttpDeps } from "../http/deps.js";
import type { Logger } from "../core/logger.js";
import { createMetrics } from "../http/metrics.js";
import { createHttpServer, type HttpServer } from "../http/server.js";
import { createGenerator, type Generator } from "../inference/run/generate.js";
import { createScheduler, type Scheduler } from "../scheduler/scheduler.js";
import { openDatabase, type Database } from "../store/database.js";
import { lockFolder } from "../store/lock.js";
import { createDeferredStore } from "../jobs/deferred/store.js";
import { createJobStore } from "../jobs/store.js";
import { createResponseStore } from "../inference/responses/store/responses.js";
import { createRunStore } from "../inference/run/store/runs.js";
import { systemClock, systemRandom } from "../system.js";
import { version } from "../version.js";

export { openAccounts, type OpenAccounts } from "./accounts.js";
export { openRegistry };
export { firstKeyFile } from "./data-folder.js";

export interface Overrides extends GivenEngines {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** Opened for this server, which closes it. */
  readonly database?: Database;
}

export interface App extends FirstKeys {
  /** Binds and answers. @throws Error with code EADDRINUSE or EACCES. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Answers in flight may finish within the grace time; then everything is closed in reverse. A second call waits too. */
  close(): Promise<void>;
  readonly firstKeyFile: string;
  readonly firstManagementKeyFile: string;
  readonly models: ModelRegistry;
  readonly generator: Generator;
  readonly scheduler: Scheduler;
  readonly runs: RunStore;
  readonly engine: Engine;
}

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Builds the whole server; nothing listens yet.
 * @throws Error with one clear sentence when the data folder cannot be used.
 */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const unlock = lockFolder(config.data);
  let database: Database | null = null;
  try {
    database = overrides.database ?? (await openDatabase(databaseFile(config)));
    return await assemble(config, overrides, { database, unlock });
  } catch (thrown) {
    await database?.close();
    unlock();
    throw thrown;
  }
}

/** The data folder, opened: what is there until the server has closed. */
interface DataFolder {
  readonly database: Database;
  readonly unlock: () => void;
}

async function assemble(
  config: Config,
  overrides: Overrides,
  { database, unlock }: DataFolder,
): Promise<App> {
  const { clock = systemClock, random = systemRandom, logger = silent } = overrides;
  const stores = buildStores(database);
  await stores.runs.interruptAll(clock.now());
  const firstKeys = await makeFirstKeys(config, { ...stores, clock, random });
  const models = await openRegistry(config);
  for (const warning of models.warnings) logger.warn({ warning }, "models folder");
  const scheduler = createScheduler(config, clock);
  const running = buildRunning(config, { clock, random, logger }, models, overrides);
  const { engines, schemas, hostedTokenizer } = running;
  const load = (): ServerLoad => loadOf(engines, scheduler);
  const metrics = createMetrics(load);
  const shared = { models, metrics, clock, random, logger };
  const booked = {
    ...{ ...shared, slots: scheduler, runs: stores.runs, ledger: stores.ledger },
    onSettleFailure: (runId: string, err: unknown) =>
      logger.error({ runId, err }, "a run could not be settled"),
  };
  const generator = createGenerator({ ...running, ...booked, runsActiveMax: config.runsActiveMax });
  const drawing = buildDrawing(config, database, { ...running, ...booked });
  const { keyUse, ...doors } = buildDoors({ ...stores, clock, logger, hostedTokenizer });
  const unattended = buildUnattended(config, {
    ...{ ...shared, ...stores, ...doors, generator },
    images: drawing.images,
  });
  const server = buildServer(config, {
    ...{ ...shared, ...unattended, ...drawing, ...doors, generator },
    accounts: buildAccounts({ ...stores, clock, random }),
    ...{ hostedTokenizer, load, database },
  });
  const parts = { database, unlock, scheduler, unattended, server, metrics, engines, keyUse };
  const behind = { runners: [generator, drawing.drawings], threads: [schemas, hostedTokenizer] };
  return {
    async listen() {
      const listening = await server.listen(config.host, config.port);
      await unattended.start();
      return listening;
    },
    close: once(() => closeAll(config, { ...parts, ...behind })),
    ...firstKeys,
    ...{ firstKeyFile: firstKeyFile(config), firstManagementKeyFile: firstManagementKeyFile(config) },
    ...{ models, generator, scheduler, runs: stores.runs, engine: running.engine },
  };
}

interface Closable {
  close(): Promise<void>;
}

interface Closing extends DataFolder {
  readonly scheduler: Scheduler;
  readonly unattended: Unattended;
  readonly server: HttpServer;
  readonly runners: readonly Closable[];
  readonly engines: readonly Closable[];
  readonly threads: readonly Closable[];
  readonly metrics: { close(): void };
  readonly keyUse: Doors["keyUse"];
}

/** Everything that was built, in reverse. */
async function closeAll({ shutdownGraceMs }: Config, parts: Closing): Promise<void> {
  parts.scheduler.close();
  // Its followers would keep the server from closing.
  await parts.unattended.close();
  await parts.server.close(shutdownGraceMs);
  // What is still running when the grace time is over is settled before the database closes.
  await Promise.all(parts.runners.map((each) => each.close()));
  await parts.keyUse.close();
  await Promise.all(parts.engines.map((engine) => engine.close()));
  await Promise.all(parts.threads.map((thread) => thread.close()));
  parts.metrics.close();
  await parts.database.close();
  parts.unlock();
}

function buildStores(database: Database) {
  return {
    ...buildAccountStores(database),
    runs: createRunStore(database),
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
  };
}

type SettledByConfig =
  "version" | "ready" | "limits" | "allowedHosts" | "pinnedKeys" | "trustProxy" | "metricsOpen";
type ServerDeps = Omit<HttpDeps, SettledByConfig> & {
  readonly database: Database;
};

function buildServer(config: Config, deps: ServerDeps): HttpServer {
  return createHttpServer({
    ...deps,
    ready: () => reasonsNotReady(deps.database, deps.models),
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax },
    allowedHosts: isLoopback(config.host) ? config.allowedHosts : null,
    pinnedKeys: [config.apiKey, config.managementKey].filter((key) => key !== null),
    trustProxy: config.trustProxy,
    // Behind a proxy, a loopback address is one that the world can reach.
    metricsOpen: isLoopback(config.host) && !config.trustProxy,
    version,
  });
}

function loadOf(engines: readonly Pick<Engine, "residents">[], scheduler: Scheduler): ServerLoad {
  const held = (id: string) => ({ slotsHeld: scheduler.heldBy(id) });
  const residents = engines.flatMap((engine) => engine.residents());
  const models = residents.map((model) => ({ ...model, ...held(model.id) }));
  return { queueDepth: scheduler.load.waiting, models };
}

async function reasonsNotReady(database: Database, models: ModelRegistry): Promise<readonly string[]> {
  const reasons: string[] = [];
  if (!(await database.answers())) reasons.push("the database does not answer");
  if (!models.list().some((model) => model.unusable === null)) reasons.push("no usable model");
  return reasons;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= action());
}
