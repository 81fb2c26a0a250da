/** The server process: from the configuration to the last answer. */
import { existsSync, closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { isAbsolute, relative, dirname } from "node:path";
import { pino } from "pino";
import { createApp, reserveAddress, type App, type ReservedAddress, type Listening } from "../../app/app.js";
import { openPuller } from "../../app/models/pulls.js";
import type { Config, LoadedConfig } from "../../config/config.js";
import { configuredUrl } from "../../config/configured-url.js";
import { printTo, printable } from "../terminal.js";
import type { SupervisorChannel } from "./supervise.js";
import { readDataLock } from "../../app/operator/open.js";
import { findPortHolder } from "../../system/port-holder.js";
import { formerLogFile, logFile } from "../../store/data-folder.js";
import { createDataFolder, createFolder } from "../../system/folder.js";

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

// What a start says when it cannot have its address.

/** @returns an error with a sentence that says who has the address, as far as it is known, and what to do */
async function listenProblem(config: Config, thrown: unknown): Promise<Error> {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  const address = `${config.host}:${config.port}`;
  if (code === "EADDRINUSE") return new Error(await takenText(config, address));
  if (code === "EACCES")
    return new Error(
      `this user has no permission to listen on ${address}. Set HEARTH_PORT to a port above 1023.`,
    );
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

async function takenText(config: Config, address: string): Promise<string> {
  const own = await readDataLock(config);
  if (own?.isHeld === true && own.url !== null && new URL(own.url).port === String(config.port))
    return `Hearth runs already at ${own.url} (pid ${own.pid}) with the data folder ${config.data}; end it with \`hearth stop\`, or give this one a port and a data folder of its own (HEARTH_PORT, HEARTH_DATA)`;
  const holder = findPortHolder(config.port);
  const by = holder === null ? "another program" : `${holder.program} (pid ${holder.pid})`;
  return `${address} is in use by ${by}. Stop it, or choose another port: \`hearth start --port ${nextPort(config.port)}\``;
}

function nextPort(port: number): number {
  return port < 65_535 ? port + 1 : port - 1;
}

// What a start prints: the address, how to get a key, and a link to the console; the rest is in `hearth doctor`.

interface Started {
  readonly app: App;
  readonly listening: Listening;
  readonly sources: LoadedConfig["sources"];
  /** A link for the first owner; null when the server has one. */
  readonly ownerLink: string | null;
}

/** Three lines, and one for each thing that is out of the ordinary. A link has a line of its own, so that a terminal can open it. */
function greeting(config: Config, started: Started): string {
  const { app, listening, sources, ownerLink } = started;
  const page = ownerLink === null ? "Console" : "Sign in";
  return [
    `listening on ${listening.url}`,
    `API key ${keyText(config, app)}  ${page}:`,
    ownerLink ?? `${app.linkBase()}/console`,
    ...pinLines(config, sources),
    ...modelLines(app),
    "",
  ].join("\n");
}

/** A key is printed only at the start that creates it, because others may see the screen later. */
function keyText(config: Config, { firstKey, firstKeyFile }: App): string {
  if (firstKey !== null) return firstKey;
  if (config.apiKey !== null) return "is pinned.";
  const another = "`hearth keys create` makes another";
  return existsSync(firstKeyFile)
    ? `in ${shortPath(firstKeyFile)}; ${another}.`
    : "is made with `hearth keys create`.";
}

function pinLines(config: Config, sources: LoadedConfig["sources"]): readonly string[] {
  const names = (["apiKey", "managementKey"] as const).filter((name) => config[name] !== null);
  if (names.length === 0) return [];
  const [verb, they] = names.length === 1 ? ["pins a key", "it ends"] : ["pin keys", "they end"];
  const until = config.pinnedKeys === "keep" ? "kept by pinnedKeys" : `${they} with the setting`;
  return [`${names.map((name) => sources[name]).join(" and ")} ${verb} with all rights; ${until}`];
}

function modelLines({ models }: App): readonly string[] {
  const all = models.list();
  const unusable = all.filter((model) => model.unusable !== null).length;
  if (unusable === all.length) return ["no model can be used: `hearth doctor` says why"];
  if (unusable === 0) return [];
  return [`${unusable} ${unusable === 1 ? "model" : "models"} cannot be used: \`hearth doctor\` says why`];
}

/** Returns a path from the working directory to what is in it; another path stays absolute. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

// The logger of a server: lines of JSON to standard error, and to the log in the data folder.

function createServerLogger(config: Config): pino.Logger {
  const { logLevel, logBytesMax } = config;
  if (logLevel === "silent") return pino({ level: logLevel });
  // A terminal is for the person who started the server; the log is read when something has happened.
  const atStderr = logLevel === "auto" && process.stderr.isTTY ? "warn" : "info";
  const streams = [
    { level: logLevel === "auto" ? atStderr : logLevel, stream: standardError() },
    ...(logBytesMax === 0
      ? []
      : [{ level: logLevel === "auto" ? "info" : logLevel, stream: openLogFile(config, logBytesMax) }]),
  ];
  return pino({ level: logLevel === "auto" ? "info" : logLevel }, pino.multistream(streams));
}

/** Log lines have texts of models and clients, of which JSON does not escape all that a terminal obeys. */
function standardError(): pino.DestinationStream {
  return process.stderr.isTTY
    ? { write: (line) => void process.stderr.write(printable(line)) }
    : pino.destination(2);
}

// The log of a server in its data folder, which `hearth logs` prints.

/**
 * Returns what appends lines to the log. When half of the bytes are written, the file becomes the former one, which it replaces. Nothing
 * is created before the first line. A disk that refuses a line loses it: it has also gone to standard error.
 */
export function openLogFile(folder: { readonly data: string }, bytesMax: number) {
  const file = logFile(folder);
  let opened: { readonly fd: number; bytes: number } | null = null;
  const open = () => {
    createDataFolder(folder.data);
    createFolder(dirname(file));
    const fd = openSync(file, "a", 0o600);
    return { fd, bytes: fstatSync(fd).size };
  };
  const close = (): void => {
    if (opened !== null) closeSync(opened.fd);
    opened = null;
  };
  return {
    write(line: string): void {
      try {
        // A restore, or a person, may have moved it.
        if (!existsSync(file)) close();
        opened ??= open();
        const length = Buffer.byteLength(line);
        if (opened.bytes > 0 && opened.bytes + length > bytesMax / 2) {
          close();
          renameSync(file, formerLogFile(folder));
          opened = open();
        }
        writeSync(opened.fd, line);
        opened.bytes += length;
      } catch {
        return;
      }
    },
  };
}
