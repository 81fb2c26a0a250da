import { spawnProcess } from "../world/processes.js";
import type { Launch, AgentPlace } from "./agent.js";

const runMsMax = 90_000;
const interruptMsMax = 3_000;
const outputCharsMax = 1_000_000;

export interface Running {
  /** Resolves with what the agent printed when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Interrupts the agent and its processes as Ctrl-C does, and ends them if that does not. */
  interrupt(): void;
  kill(): void;
}

/** Starts an agent with an environment of its own: nothing of the person who runs this reaches it. */
export function runAgent({ program, args, env = {} }: Launch, { work, home }: AgentPlace): Running {
  const child = spawnProcess(program, args, {
    cwd: work,
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", CI: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, as a terminal gives it.
    detached: true,
  });
  const signal = (name: NodeJS.Signals): void => signalGroup(child.pid, name);
  const timer = setTimeout(() => signal("SIGKILL"), runMsMax);
  let output = "";
  const collect = (chunk: Buffer): void => {
    if (output.length < outputCharsMax) output += chunk.toString();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const ended = new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    child.once("error", (error) => resolve({ code: null, output: String(error) }));
    child.once("close", (code) => {
      clearTimeout(timer);
      signal("SIGKILL");
      resolve({ code, output });
    });
  });
  const interrupt = (): void => {
    signal("SIGINT");
    const impatient = setTimeout(() => signal("SIGTERM"), interruptMsMax);
    void ended.finally(() => clearTimeout(impatient));
  };
  return { ended, interrupt, kill: () => signal("SIGKILL") };
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The group has ended.
  }
}
