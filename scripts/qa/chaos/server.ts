/** A Hearth server as a process: built, with a data folder, a clock and a network of its own. */
import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findChild, scratchFolder, spawnProcess } from "../world/processes.js";
import { hearthProgram, readAddress } from "../world/server.js";
import { managementKey, type ChaosWorld } from "./world.js";
import { connectByProxies } from "./network/proxies.js";
import type { ServerNetwork } from "./network/server-network.js";

export interface ChaosServer {
  readonly name: string;
  /** Where it listens; null while it does not run. */
  readonly url: () => string | null;
  readonly network: ServerNetwork;
  start(): Promise<void>;
  /** Kills it with SIGKILL, and what supervises it. */
  kill(): Promise<void>;
  /** Sends a signal to the process that serves. */
  signal(signal: NodeJS.Signals): void;
  /** Returns the end of what it has logged. */
  readonly logged: () => string;
  /** Lets its clock jump: from now on it is so many milliseconds away from the clock of the machine. */
  shiftClock(ms: number): void;
  close(): void;
}

/** Characters of a server's log that are kept, and of those that are shown when it does not start. */
const loggedMax = 500_000;
const shownMax = 2_000;
const shiftedClock = new URL("./shifted-clock.mjs", import.meta.url).href;

export async function createServer(name: string, world: ChaosWorld): Promise<ChaosServer> {
  const folder = scratchFolder();
  const clockFile = join(folder.path, "clock");
  const network = world.namespaces?.join(world.shared) ?? (await connectByProxies(world.shared));
  const server = controlled(world.isVerbose, clockFile, network.command, {
    ...world.environment,
    ...network.environment,
    HEARTH_SERVER_NAME: name,
    HEARTH_DATA: join(folder.path, "data"),
    HEARTH_MANAGEMENT_KEY: managementKey,
    NODE_OPTIONS: `--import=${shiftedClock}`,
    CHAOS_CLOCK: clockFile,
  });
  const close = (): void => {
    network.close();
    folder.remove();
  };
  return { name, network, ...server, close };
}

type Controlled = Pick<ChaosServer, "url" | "logged" | "start" | "kill" | "signal" | "shiftClock">;

/** Returns what starts, ends and disturbs the process. @param command what starts it, before the program */
function controlled(
  isVerbose: boolean,
  clockFile: string,
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
): Controlled {
  let child: ChildProcess | null = null;
  let pid = 0;
  let url: string | null = null;
  let logged = "";
  return {
    url: () => url,
    logged: () => logged,
    async start() {
      writeFileSync(clockFile, "0");
      const [first = process.execPath, ...args] = [...command, process.execPath, hearthProgram, "start"];
      child = spawnProcess(first, args, {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      // All of it is read, so that the server is not held up.
      child.stderr?.on("data", (data: Buffer) => {
        logged = `${logged}${data.toString()}`.slice(-loggedMax);
        if (isVerbose) process.stderr.write(data);
      });
      url = await readAddress(child).catch((thrown: unknown) => {
        throw new Error(`a server has not started: ${logged.slice(-shownMax)}`, { cause: thrown });
      });
      child.stdout?.resume();
      pid = findChild(child.pid ?? 0);
    },
    async kill() {
      url = null;
      const ended = child;
      if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
      const exited = new Promise((resolve) => ended.once("exit", resolve));
      ended.kill("SIGKILL");
      process.kill(pid, "SIGKILL");
      await exited;
    },
    signal: (signal) => void process.kill(pid, signal),
    shiftClock(ms) {
      writeFileSync(clockFile, String(ms));
      process.kill(pid, "SIGUSR2");
    },
  };
}
