/** `hearth start`: the server in the foreground, until it is told to stop. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Command } from "commander";
import { pino } from "pino";
import { createApp, type App } from "../../app/app.js";
import type { Config, LoadedConfig } from "../../config.js";
import { version } from "../../version.js";
import type { ServerBond } from "./supervise.js";

/** Adds the command. @param supervisor null = this process is nobody's server. */
export function addStartCommand(
  program: Command,
  load: () => LoadedConfig,
  supervisor: ServerBond | null,
): void {
  program
    .command("start")
    .description("start the server")
    .action(async () => start(load().config, supervisor));
}

async function start(configured: Config, supervisor: ServerBond | null): Promise<void> {
  // A server that comes back on any free port would be lost to its clients.
  const config = { ...configured, port: configured.port || (supervisor?.port ?? 0) };
  const told = untilTold(supervisor);
  const app = await createApp(config, { logger: pino({ level: logLevel(config) }, pino.destination(2)) });
  try {
    const { url, port } = await app.listen();
    process.stdout.write(greeting(config, app, url));
    supervisor?.listening(port);
  } catch (thrown) {
    await app.close();
    throw listenError(config, thrown);
  }
  await told;
  await app.close();
}

function logLevel(config: Config): string {
  if (config.logLevel !== "auto") return config.logLevel;
  return process.stderr.isTTY ? "warn" : "info";
}

/**
 * Resolves at the first word to stop. A second signal ends the process at once; but not that of a supervised server, which a
 * terminal or a service manager signals beside its supervisor: how often that was asked, the supervisor knows.
 */
function untilTold(supervisor: ServerBond | null): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const tell = (): void => {
      if (isTold && supervisor === null) process.exit(1);
      isTold = true;
      resolve();
    };
    process.on("SIGINT", tell);
    process.on("SIGTERM", tell);
    supervisor?.onStop(tell);
  });
}

function listenError(config: Config, thrown: unknown): Error {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  const where = `${config.host}:${config.port}`;
  if (code === "EADDRINUSE")
    return new Error(
      `${where} is in use: another program listens there. Stop it, or set HEARTH_PORT to another port.`,
    );
  if (code === "EACCES")
    return new Error(`${where} may not be used by this user. Set HEARTH_PORT to a port above 1023.`);
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function greeting(config: Config, app: App, url: string): string {
  const usable = app.models.list().filter((model) => model.unusable === null);
  const names = usable.map((model) => model.manifest.id);
  const talking = usable.find(({ manifest }) => manifest.kind === "chat");
  const file = relative(process.cwd(), app.firstKeyFile) || app.firstKeyFile;
  const { shown, inCurl } = keyWords(config, app, file);
  const body = JSON.stringify({
    model: talking?.manifest.id ?? "MODEL",
    messages: [{ role: "user", content: "Hello!" }],
  });
  return [
    `Hearth ${version}`,
    `listening on ${url}`,
    "",
    `  Base URL  ${url}/v1`,
    `  API key   ${shown}`,
    ...managing(app),
    `  Models    ${names.join(", ") || "none usable; see `hearth doctor`"}`,
    "",
    "Try it:",
    "",
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${inCurl}" -H "Content-Type: application/json" -d '${body}'`,
    "",
    "",
  ].join("\n");
}

/** Only when it was made just now: what is on the screen is read by others. */
function managing({ firstManagementKey, firstManagementKeyFile }: App): readonly string[] {
  if (firstManagementKey === null) return [];
  const file = relative(process.cwd(), firstManagementKeyFile) || firstManagementKeyFile;
  return [`  Manage    ${firstManagementKey}  (management key, shown once; kept in ${file})`];
}

interface KeyWords {
  /** What the greeting says of the key. */
  readonly shown: string;
  /** What stands for the key in the line to paste. */
  readonly inCurl: string;
}

function keyWords(config: Config, app: App, file: string): KeyWords {
  if (app.firstKey !== null)
    return { shown: `${app.firstKey}  (shown once; kept in ${file})`, inCurl: app.firstKey };
  if (config.apiKey !== null) return { shown: "the one in HEARTH_API_KEY", inCurl: "$HEARTH_API_KEY" };
  if (existsSync(app.firstKeyFile)) return { shown: `in ${file}`, inCurl: `$(cat ${file})` };
  return { shown: "make one with `hearth keys create`", inCurl: "$HEARTH_API_KEY" };
}
