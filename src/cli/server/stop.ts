/** `hearth stop`: stops the server that uses the data folder, and waits until it has ended. */
import { setTimeout } from "node:timers/promises";
import { InvalidArgumentError, type Command } from "commander";
import type { Operator } from "../../app/operator/open.js";
import type { Config, LoadedConfig } from "../../config/config.js";
import type { ServerStop } from "../../http/server/app-context.js";
import { operatorOpener } from "../command-helpers.js";
import type { TextOut } from "../terminal.js";

const lookMs = 50;
/** After this time the command says what it waits for. */
const patienceMs = 1500;
/** Time between two stop requests by signal: requests that come at once would be taken for one. */
const secondSignalMs = 300;
/** A process that was killed is gone within this time. */
const killedMsMax = 10_000;

interface StopIo {
  readonly load: () => Promise<LoadedConfig>;
  /** Opens the interface of the running server; null when none answers. */
  readonly find: (config: Config) => Promise<Operator | null>;
  readonly out: TextOut;
  readonly err: TextOut;
}

interface StopOptions {
  readonly force?: true;
  readonly timeout?: number;
  readonly quiet?: true;
}

/** Adds the command; its exit code is 1 when no server runs. */
export function addStopCommand(program: Command, io: StopIo): void {
  program
    .command("stop")
    .description("stop the server that uses this data folder; answers in flight are finished first")
    .option(
      "--timeout <seconds>",
      "cut off answers that take longer (default: shutdownGraceMs)",
      parseSeconds,
    )
    .option("--force", "stop it at once, and cut off the answers in flight")
    .option("-q, --quiet", "print nothing but errors")
    .action(async (options: StopOptions) => {
      const { config } = await io.load();
      const stopping = (await askToStop(config, io)) ?? (await signalToStop(config));
      const patienceEndsMs = options.force === true ? 0 : (options.timeout ?? Infinity) * 1000;
      const say = options.quiet === true ? () => undefined : (text: string) => void io.err.write(text);
      await awaitEnd(config, stopping, patienceEndsMs, say);
      if (options.quiet !== true) io.out.write(`stopped the server (pid ${stopping.pid})\n`);
    });
}

function parseSeconds(written: string): number {
  if (!/^\d{1,6}$/.test(written)) throw new InvalidArgumentError("It must be a whole number of seconds.");
  return Number(written);
}

async function askToStop(config: Config, { find }: StopIo): Promise<ServerStop | null> {
  const operator = await find(config);
  if (operator === null) return null;
  return operatorOpener(() => Promise.resolve(operator))((api) =>
    api.request<ServerStop>("POST", "/operator/stop", {}),
  );
}

/** Stops a server that does not answer: one that starts, waits for its next start after a crash, or has no socket. */
async function signalToStop(config: Config): Promise<ServerStop> {
  const { readDataLock } = await import("../../app/operator/open.js");
  const { isProcessAlive, readCommandLine } = await import("../../system/processes.js");
  const lock = await readDataLock(config);
  const none = new Error(`no server uses the data folder ${config.data}`);
  if (lock === null) throw none;
  const { pid, url, isHeld } = lock;
  if (isHeld && url === null)
    throw new Error(`a command (pid ${pid}) uses the data folder ${config.data}, and no server`);
  // The number of a process that was killed may be another one's today.
  if (!isHeld && !(isProcessAlive(pid) && /\bstart\b/.test(readCommandLine(pid)))) throw none;
  process.kill(pid, "SIGTERM");
  return { pid, endMsMax: config.shutdownGraceMs + killedMsMax };
}

/** @throws Error when the process does not end even when it is killed */
async function awaitEnd(
  config: Config,
  { pid, endMsMax }: ServerStop,
  patienceEndsMs: number,
  say: (text: string) => void,
): Promise<void> {
  const { readDataLock } = await import("../../app/operator/open.js");
  const { isProcessAlive } = await import("../../system/processes.js");
  const hasEnded = async (withinMs: number, onWait: (waited: number) => void = () => undefined) => {
    for (let waited = 0; ; waited += lookMs) {
      if (!isProcessAlive(pid) && (await readDataLock(config))?.isHeld !== true) return true;
      if (waited >= withinMs) return false;
      onWait(waited);
      await setTimeout(lookMs);
    }
  };
  const tell = (waited: number): void => {
    if (waited === patienceMs)
      say("waiting for the answers in flight; `hearth stop --force` ends the server at once\n");
  };
  if (await hasEnded(Math.min(patienceEndsMs, endMsMax + killedMsMax), tell)) return;
  const signal = (name: NodeJS.Signals): void => {
    if (isProcessAlive(pid)) process.kill(pid, name);
  };
  // The supervisor kills the server at the second request.
  signal("SIGTERM");
  if (await hasEnded(secondSignalMs)) return;
  signal("SIGTERM");
  if (await hasEnded(killedMsMax)) return;
  signal("SIGKILL");
  if (await hasEnded(killedMsMax)) return;
  throw new Error(`the server (pid ${pid}) does not end`);
}
