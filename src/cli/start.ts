/** `hearth start`: the server in the foreground, until it is told to stop. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Command } from "commander";
import { pino } from "pino";
import { createApp, type App } from "../app.js";
import type { Config, LoadedConfig } from "../config.js";
import { version } from "../version.js";

/** Adds the command. */
export function addStartCommand(program: Command, load: () => LoadedConfig): void {
  program
    .command("start")
    .description("start the server")
    .action(async () => start(load().config));
}

async function start(config: Config): Promise<void> {
  const app = await createApp(config, { logger: pino({ level: logLevel(config) }, pino.destination(2)) });
  const stopped = untilSignal(app);
  try {
    const { url } = await app.listen();
    process.stdout.write(greeting(config, app, url));
  } catch (thrown) {
    await app.close();
    throw listenError(config, thrown);
  }
  await stopped;
}

function logLevel(config: Config): string {
  if (config.logLevel !== "auto") return config.logLevel;
  return process.stderr.isTTY ? "warn" : "info";
}

/** The first signal ends the server in order; a second one ends the process at once. */
function untilSignal(app: App): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(1);
      asked = true;
      void app.close().then(resolve);
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
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
  const file = relative(process.cwd(), app.firstKeyFile) || app.firstKeyFile;
  const { shown, inCurl } = keyWords(config, app, file);
  const body = JSON.stringify({
    model: names[0] ?? "MODEL",
    messages: [{ role: "user", content: "Hello!" }],
  });
  return [
    `Hearth ${version}`,
    `listening on ${url}`,
    "",
    `  Base URL  ${url}/v1`,
    `  API key   ${shown}`,
    `  Models    ${names.join(", ") || "none usable; see `hearth doctor`"}`,
    "",
    "Try it:",
    "",
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${inCurl}" -H "Content-Type: application/json" -d '${body}'`,
    "",
    "",
  ].join("\n");
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
