/**
 * The composition root: it builds the server from the configuration and closes it in reverse order. `overrides` is the test seam: a part
 * that is given there is used instead of the part that would be built.
 */
import type { Server } from "node:http";
import { createOwnerLink, ensureFirstKeys } from "../accounts/first-start.js";
import { formatSignInLink } from "../accounts/sign-in/links.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import { silentLogger, type Logger } from "../core/logger.js";
import type { Random } from "../core/random.js";
import { serveWebSockets } from "../http/inference/websocket/upgrade.js";
import { operatorRoutes } from "../http/management/operator/server-routes.js";
import { selectRoutes } from "../http/routes.js";
import { createHttpServer, type HttpServer, type Listening } from "../http/server/http-server.js";
import { closeSocket, listenOnSocket } from "../http/server/listen/listen-on-socket.js";
import { reserveAddress, type ReservedAddress } from "../http/server/listen/reserve-address.js";
import { createOperatorServer } from "../http/server/operator-server.js";
import { firstKeyFile, firstManagementKeyFile, operatorSocket } from "../store/data-folder.js";
import type { Database } from "../store/database.js";
import type { LockHolder } from "../store/folder/lock-holder.js";
import type { NewDatabase } from "../store/lost-database.js";
import { openDataFolder, type DataFolder } from "../store/folder/open-data-folder.js";
import { systemClock, systemRandom } from "../system/clock.js";
import { buildContext, type Built, type ContextOverrides } from "./context.js";
import { followAddress } from "../config/link-base.js";
import { openForServer } from "./stores/open-database.js";
import { buildStores } from "./stores/stores.js";
import type { SystemDeps } from "./system-deps.js";

export { reserveAddress };
export type { Listening, ReservedAddress };

/** Parts that are used instead of those that `createApp` would build. */
export interface Overrides extends ContextOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** An open database; the server closes it. */
  readonly database?: Database;
  /** Whether the server may start with an empty database where there was another one; default: refused. */
  readonly newDatabase?: NewDatabase;
  /** The process that a second start on the same data folder names; absent: this one. */
  readonly lockHolder?: LockHolder;
  /** The address to listen on, bound already; absent: it is bound by `listen`. */
  readonly reserved?: ReservedAddress;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/**
 * Builds the whole server; nothing listens yet.
 * @throws Error with one clear sentence when the data folder cannot be used.
 */
export async function createApp(config: Config, overrides: Overrides = {}) {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = overrides;
  const { databaseUrl: url } = config;
  const openShared = url === null ? null : () => openForServer(url, config);
  const dataFolder = await openDataFolder(config.data, { ...overrides, openShared, clock, logger });
  try {
    return await assemble(config, overrides, { clock, random, logger }, dataFolder);
  } catch (thrown) {
    await dataFolder.database.close();
    dataFolder.unlock();
    throw thrown;
  }
}

async function assemble(config: Config, overrides: Overrides, system: SystemDeps, dataFolder: DataFolder) {
  const { database } = dataFolder;
  const stores = buildStores(config, database, system.random);
  const firstKeys = await ensureFirstKeys(config, { ...stores, ...system });
  const address = followAddress(config);
  const { linkBase } = address;
  const built = await buildContext(config, { ...overrides, linkBase }, system, database, stores);
  const { context, scheduler, liveRuns, engines } = built;
  const server = createHttpServer(context, { routes: selectRoutes(context), serveWebSockets });
  const operator = createOperatorServer(context, operatorRoutes);
  return {
    ...firstKeys,
    /** Binds the configured address and starts the job queues. @throws Error with code EADDRINUSE or EACCES. */
    async listen(): Promise<Listening> {
      const listening = await server.listen(config.host, config.port, overrides.reserved);
      address.set(listening);
      await serveOperator(config, operator, system.logger);
      await startWork(built);
      return listening;
    },
    /** Answers a request that came by another way than the bound address, as the simulation's do. */
    handle: server.callback(),
    /** Makes a link with which the first owner signs in to the console. @returns null when the server has an owner */
    async ownerLink(): Promise<string | null> {
      const secret = await createOwnerLink({ ...stores, ...system });
      return secret === null ? null : formatSignInLink(linkBase(), secret);
    },
    /** Returns the address of the server for clients and browsers. */
    linkBase,
    /**
     * Lets answers in flight finish within the grace time, then closes everything in reverse order. A second call waits for the
     * first.
     */
    close: once(() => closeAll(config, { ...built, ...dataFolder, server, operator })),
    firstKeyFile: firstKeyFile(config),
    firstManagementKeyFile: firstManagementKeyFile(config),
    models: context.models,
    generator: context.generator,
    liveRuns,
    scheduler,
    runs: stores.runs,
    engine: engines.engine,
  };
}

/** Lets commands reach this server; where the folder takes no socket, they open the database themselves. */
async function serveOperator(config: Config, operator: Server, logger: Logger): Promise<void> {
  const socket = operatorSocket(config);
  if (socket === null) return;
  await listenOnSocket(operator, socket).catch((err: unknown) =>
    logger.warn({ err, socket }, "commands cannot reach this server by its socket"),
  );
}

/** Starts what nobody waits for, once requests are taken. */
async function startWork({ context, takeOver, jobs, modelUpkeep, alerts }: Built): Promise<void> {
  const { pullJobs } = context;
  await jobs.start();
  modelUpkeep.start();
  await pullJobs.start();
  takeOver.start(async () => {
    jobs.wake();
    await pullJobs.start();
  });
  alerts.start();
}

interface Closing extends DataFolder, Built {
  readonly server: HttpServer;
  readonly operator: Server;
}

/** Closes everything that was built, in reverse order. */
async function closeAll({ shutdownGraceMs }: Config, parts: Closing): Promise<void> {
  const { engines } = parts;
  parts.modelUpkeep.stop();
  parts.takeOver.stop();
  await parts.alerts.close();
  parts.scheduler.close();
  // Clients that follow a background response would keep the server from closing.
  await Promise.all([parts.jobs.close(), parts.context.pullJobs.close()]);
  const { clock } = parts.context;
  await Promise.all([
    closeSocket(parts.operator, clock, shutdownGraceMs),
    parts.server.close(shutdownGraceMs),
  ]);
  // Runs that are still active when the grace time is over are settled before the database closes.
  await parts.liveRuns.close();
  parts.limits.close();
  await parts.keyUse.close();
  await Promise.all(engines.all.map((engine) => engine.close()));
  const { schemas, hostedTokenizer, pdfs, sounds } = engines;
  await Promise.all([schemas, hostedTokenizer, pdfs, sounds].map((reader) => reader.close()));
  await parts.tracing.close();
  parts.context.metrics.close();
  parts.health.close();
  parts.erasure.close();
  await parts.database.close();
  parts.unlock();
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= action());
}
