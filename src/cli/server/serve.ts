/** The server process: from the configuration to the last answer. */
import { createApp, reserveAddress, type App, type ReservedAddress } from "../../app/app.js";
import { openPuller } from "../../app/models/pulls.js";
import type { Config, LoadedConfig } from "../../config/config.js";
import { configuredUrl } from "../../config/configured-url.js";
import { printTo } from "../terminal.js";
import { greeting } from "./greeting.js";
import { listenProblem } from "./listen-problem.js";
import { createServerLogger } from "./logger.js";
import type { SupervisorChannel } from "./supervise.js";

/** Time to close everything after the grace time: engines, worker threads, the database. */
const closeMsMax = 12_000;

export interface ServeIo {
  /** null if no supervisor started this process. */
  readonly supervisor: SupervisorChannel | null;
  /** How the hub of models is reached: HF_ENDPOINT, HF_TOKEN and proxies. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface ServeOptions {
  /** An empty database may take the place of one that is missing or empty. */
  readonly newDatabase?: true;
  /** Prints no greeting, so no key and no link. */
  readonly quiet?: true;
}

/** Runs the server until it is stopped. @throws Error with one clear sentence when it cannot listen. */
export async function serve(
  { config: configured, sources }: LoadedConfig,
  { supervisor, environment }: ServeIo,
  { newDatabase, quiet }: ServeOptions,
): Promise<void> {
  // With port 0, a restarted server must listen on the same port again, so that clients find it.
  const config = { ...configured, port: configured.port || (supervisor?.port ?? 0) };
  const hang = hangReported();
  const stop = stopRequests(supervisor);
  // Before anything is created: a start that cannot listen leaves nothing behind.
  const reserved = await reserveAddress(config.host, config.port).catch(async (thrown: unknown) => {
    throw await listenProblem(config, thrown);
  });
  const pid = supervisor?.pid ?? process.pid;
  const build = (): Promise<App> =>
    createApp(config, {
      sources,
      reserved,
      lockHolder: { pid, url: configuredUrl({ ...config, port: reserved.port }) },
      onHang: () => hang.report(),
      openPuller: () => openPuller(config, environment, false),
      logger: createServerLogger(config),
      // A server that is restarted after a crash has a database; it may not replace that.
      newDatabase: newDatabase === true && (supervisor?.port ?? null) === null ? "allowed" : "refused",
      requestStop() {
        stop.request();
        return { pid, endMsMax: stopMsMax(config) };
      },
    });
  const app = await start(build, reserved, async (built) => {
    const listening = await built.listen();
    const ownerLink = await built.ownerLink();
    if (quiet !== true)
      printTo(process.stdout).write(greeting(config, { app: built, listening, sources, ownerLink }));
    supervisor?.listening(listening.port, stopMsMax(config));
  });
  await Promise.race([stop.requested, hang.reported]);
  // Not `process.exit`, which waits for threads that hang in native code.
  setTimeout(endHard, stopMsMax(config)).unref();
  await app.close();
  if (hang.isReported()) endHard();
}

/** Builds the server and lets it listen; when that fails, everything is closed again. */
async function start(
  build: () => Promise<App>,
  reserved: ReservedAddress,
  listen: (app: App) => Promise<void>,
): Promise<App> {
  try {
    const app = await build();
    try {
      await listen(app);
      return app;
    } catch (thrown) {
      await app.close();
      throw thrown;
    }
  } finally {
    reserved.release();
  }
}

/** Ends this process, whatever hangs; a supervisor restarts it unless a stop was requested. */
function endHard(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Waits for the report that a thread hangs in native code, after which this process has to end. */
function hangReported() {
  let isReported = false;
  let resolveReported = (): void => undefined;
  const reported = new Promise<void>((resolve) => (resolveReported = resolve));
  return {
    reported,
    isReported: (): boolean => isReported,
    report(): void {
      isReported = true;
      resolveReported();
    },
  };
}

/** Time after a stop request in which the process ends, whatever hangs. */
function stopMsMax({ shutdownGraceMs }: Config): number {
  return shutdownGraceMs + closeMsMax;
}

/**
 * Waits for the first stop request. A second signal ends the process at once, except if the server is supervised: a terminal
 * or a service manager may signal both processes, and the supervisor counts the requests.
 */
function stopRequests(supervisor: SupervisorChannel | null) {
  let isRequested = false;
  let resolveRequested = (): void => undefined;
  const requested = new Promise<void>((resolve) => (resolveRequested = resolve));
  const request = (): void => {
    isRequested = true;
    resolveRequested();
  };
  const onSignal = (): void => {
    if (isRequested && supervisor === null) process.exit(1);
    request();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  supervisor?.onStop(request);
  return { requested, request };
}
