/** `hearth start`: runs the server in the foreground until it is stopped. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Command } from "commander";
import { pino } from "pino";
import { createApp, type App } from "../../app/app.js";
import type { Config, LoadedConfig } from "../../config.js";
import { version } from "../../version.js";
import type { SupervisorChannel } from "./supervise.js";

/** Adds the command. @param supervisor null if no supervisor started this process. */
export function addStartCommand(
  program: Command,
  load: () => LoadedConfig,
  supervisor: SupervisorChannel | null,
): void {
  program
    .command("start")
    .description("start the server")
    .action(async () => start(load().config, supervisor));
}

async function start(configured: Config, supervisor: SupervisorChannel | null): Promise<void> {
  // With port 0, a restarted server must listen on the same port again, so that clients find it.
  const config = { ...configured, port: configured.port || (supervisor?.port ?? 0) };
  const stopped = stopRequested(supervisor);
  const app = await createApp(config, { logger: pino({ level: logLevel(config) }, pino.destination(2)) });
  try {
    const { url, port } = await app.listen();
    process.stdout.write(greeting(config, app, url));
    supervisor?.listening(port);
  } catch (thrown) {
    await app.close();
    throw listenError(config, thrown);
  }
  await stopped;
  await app.close();
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
    return new Error(`${address} is in use by another program. Stop it, or set HEARTH_PORT to another port.`);
  if (code === "EACCES")
    return new Error(
      `this user has no permission to listen on ${address}. Set HEARTH_PORT to a port above 1023.`,
    );
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function greeting(config: Config, app: App, url: string): string {
  const usable = app.models.list().filter((model) => model.unusable === null);
  const names = usable.map((model) => model.manifest.id);
  const chatModel = usable.find(({ manifest }) => manifest.kind === "chat");
  const file = relative(process.cwd(), app.firstKeyFile) || app.firstKeyFile;
  const { shown, inCurl } = keyHint(config, app, file);
  const body = JSON.stringify({
    model: chatModel?.manifest.id ?? "MODEL",
    messages: [{ role: "user", content: "Hello!" }],
  });
  return [
    `Hearth ${version}`,
    `listening on ${url}`,
    "",
    `  Base URL  ${url}/v1`,
    `  API key   ${shown}`,
    ...managementKeyLines(app),
    `  Models    ${names.join(", ") || "none is usable; run `hearth doctor`"}`,
    "",
    "Try it:",
    "",
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${inCurl}" -H "Content-Type: application/json" -d '${body}'`,
    "",
    "",
  ].join("\n");
}

/** The key is printed only at the start that creates it, because others may see the screen later. */
function managementKeyLines({ firstManagementKey, firstManagementKeyFile }: App): readonly string[] {
  if (firstManagementKey === null) return [];
  const file = relative(process.cwd(), firstManagementKeyFile) || firstManagementKeyFile;
  return [`  Manage    ${firstManagementKey}  (management key, shown once; stored in ${file})`];
}

interface KeyHint {
  /** Text about the key. */
  readonly shown: string;
  /** The key, or a shell expression for it, in the example command. */
  readonly inCurl: string;
}

function keyHint(config: Config, app: App, file: string): KeyHint {
  if (app.firstKey !== null)
    return { shown: `${app.firstKey}  (shown once; stored in ${file})`, inCurl: app.firstKey };
  if (config.apiKey !== null) return { shown: "set in HEARTH_API_KEY", inCurl: "$HEARTH_API_KEY" };
  if (existsSync(app.firstKeyFile)) return { shown: `in ${file}`, inCurl: `$(cat ${file})` };
  return { shown: "create one with `hearth keys create`", inCurl: "$HEARTH_API_KEY" };
}
