/** The server process: from the configuration to the last answer. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { isAbsolute, relative } from "node:path";
import { pino } from "pino";
import { createApp, type App, type Listening, type OwnerSignIn } from "../../app/app.js";
import { openPuller } from "../../app/models/pulls.js";
import { isLoopback, type Config, type LoadedConfig } from "../../config/config.js";
import type { Model } from "../../core/model.js";
import { version } from "../../system/version.js";
import { contextText } from "../../core/report/context-text.js";
import { printable, printTo } from "../terminal.js";
import type { SupervisorChannel } from "./supervise.js";

/** Time to close everything after the grace time: engines, worker threads, the database. */
const closeMsMax = 12_000;

export interface ServeIo {
  /** null if no supervisor started this process. */
  readonly supervisor: SupervisorChannel | null;
  /** How the hub of models is reached: HF_ENDPOINT, HF_TOKEN and proxies. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs the server until it is stopped. @throws Error with one clear sentence when it cannot listen. */
export async function serve(
  { config: configured, sources }: LoadedConfig,
  { supervisor, environment }: ServeIo,
  isNewDatabase: boolean,
): Promise<void> {
  // With port 0, a restarted server must listen on the same port again, so that clients find it.
  const config = { ...configured, port: configured.port || (supervisor?.port ?? 0) };
  const hang = hangReported();
  const stopped = stopRequested(supervisor);
  const app = await createApp(config, {
    sources,
    onHang: () => hang.report(),
    openPuller: () => openPuller(config, environment, false),
    logger: pino({ level: logLevel(config) }, logDestination()),
    // A server that is restarted after a crash has a database; it may not replace that.
    newDatabase: isNewDatabase && (supervisor?.port ?? null) === null ? "allowed" : "refused",
  });
  try {
    const listening = await app.listen();
    const owner = await app.ownerSignIn();
    printTo(process.stdout).write(greeting(config, { app, listening, keySource: sources.apiKey, owner }));
    supervisor?.listening(listening.port, stopMsMax(config));
  } catch (thrown) {
    await app.close();
    throw listenError(config, thrown);
  }
  await Promise.race([stopped, hang.reported]);
  // Not `process.exit`, which waits for threads that hang in native code.
  setTimeout(endHard, stopMsMax(config)).unref();
  await app.close();
  if (hang.isReported()) endHard();
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

/** Log lines have texts of models and clients, of which JSON does not escape all that a terminal obeys. */
function logDestination(): pino.DestinationStream {
  return process.stderr.isTTY
    ? { write: (line) => void process.stderr.write(printable(line)) }
    : pino.destination(2);
}

function logLevel(config: Config): string {
  if (config.logLevel !== "auto") return config.logLevel;
  return process.stderr.isTTY ? "warn" : "info";
}

/**
 * Resolves at the first stop request. A second signal ends the process at once, except if the server is supervised: a terminal
 * or a service manager may signal both processes, and the supervisor counts the requests.
 */
function stopRequested(supervisor: SupervisorChannel | null): Promise<void> {
  return new Promise((resolve) => {
    let isRequested = false;
    const requestStop = (): void => {
      if (isRequested && supervisor === null) process.exit(1);
      isRequested = true;
      resolve();
    };
    process.on("SIGINT", requestStop);
    process.on("SIGTERM", requestStop);
    supervisor?.onStop(requestStop);
  });
}

function listenError(config: Config, thrown: unknown): Error {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  const address = `${config.host}:${config.port}`;
  if (code === "EADDRINUSE")
    return new Error(
      `${address} is in use by another program. Stop it, or choose another port with --port or HEARTH_PORT.`,
    );
  if (code === "EACCES")
    return new Error(
      `this user has no permission to listen on ${address}. Set HEARTH_PORT to a port above 1023.`,
    );
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

interface Started {
  readonly app: App;
  readonly listening: Listening;
  /** Where the configured API key is from. */
  readonly keySource: string;
  readonly owner: OwnerSignIn;
}

function greeting(config: Config, { app, listening, keySource, owner }: Started): string {
  const usable = app.models.list().filter((model) => model.unusable === null);
  const names = usable.map(nameWithContext);
  const chatModel = usable.find(({ manifest }) => manifest.kind === "chat");
  const file = shortPath(app.firstKeyFile);
  const { shown, inCurl } = keyHint(config, keySource, app, file);
  const base = baseUrl(config, listening);
  const certificate = config.tlsCert === null ? "" : ` --cacert ${config.tlsCert}`;
  const body = JSON.stringify({
    model: chatModel?.manifest.id ?? "MODEL",
    messages: [{ role: "user", content: "Hello!" }],
  });
  return [
    `Hearth ${version}`,
    `listening on ${listening.url}`,
    "",
    `  Base URL  ${base}/v1`,
    `  API key   ${shown}`,
    ...managementKeyLines(app),
    `  Console   ${consoleLine(`${base}/console`, owner)}`,
    `  Models    ${names.join(", ") || "none is usable; run `hearth doctor`"}`,
    ...unusableLines(app.models.list().length - usable.length),
    "",
    "Try it:",
    "",
    `curl ${base}/v1/chat/completions${certificate} -H "Authorization: Bearer ${inCurl}" -H "Content-Type: application/json" -d '${body}'`,
    "",
    "",
  ].join("\n");
}

/** Returns the address for clients: where the server listens on all addresses, a name for which it has a certificate, or the name of the machine. */
function baseUrl({ host }: Config, { url, certificateNames }: Listening): string {
  if (!["0.0.0.0", "::"].includes(host)) return url;
  const name = certificateNames.find((each) => !each.includes("*") && !isLoopback(each)) ?? hostname();
  return `${new URL(url).protocol}//${name.includes(":") ? `[${name}]` : name}:${new URL(url).port}`;
}

/** Returns a path from the working directory to what is in it; another path stays absolute. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

/** Returns the id of a model, and its context if it is a chat model. */
function nameWithContext({ manifest, trainedTokens }: Model): string {
  const { id, kind, contextTokens } = manifest;
  return kind === "chat" ? `${id} (${contextText(contextTokens, trainedTokens)})` : id;
}

function unusableLines(count: number): readonly string[] {
  if (count === 0) return [];
  return [`            ${count} ${count === 1 ? "model" : "models"} could not be used: hearth doctor`];
}

function consoleLine(url: string, owner: OwnerSignIn): string {
  if (owner.kind === "owner") return url;
  return owner.secret === null
    ? `${url}  (\`hearth members sign-in-link\` prints a link to sign in with)`
    : `${url}#link=${owner.secret}  (sign in with this link, once, within 24 hours)`;
}

/** The key is printed only at the start that creates it, because others may see the screen later. */
function managementKeyLines({ firstManagementKey, firstManagementKeyFile }: App): readonly string[] {
  if (firstManagementKey === null) return [];
  const file = shortPath(firstManagementKeyFile);
  return [`  Manage    ${firstManagementKey}  (management key, shown once; stored in ${file})`];
}

interface KeyHint {
  /** Text about the key. */
  readonly shown: string;
  /** The key, or a shell expression for it, in the example command. */
  readonly inCurl: string;
}

function keyHint(config: Config, source: string, app: App, file: string): KeyHint {
  if (app.firstKey !== null)
    return { shown: `${app.firstKey}  (shown once; stored in ${file})`, inCurl: app.firstKey };
  if (config.apiKey !== null)
    return {
      shown: `set by ${source}`,
      inCurl: source.endsWith("_FILE") ? `$(cat $${source})` : "$HEARTH_API_KEY",
    };
  if (existsSync(app.firstKeyFile)) return { shown: `in ${file}`, inCurl: `$(cat ${file})` };
  return { shown: "create one with `hearth keys create`", inCurl: "$HEARTH_API_KEY" };
}
