/** Starts attackers and engines in processes of their own, at the lowest priority: they must not slow the clients that are measured. */
import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { spawnScript } from "../world/processes.js";
import type { EngineUrls } from "./hostile-engine.js";
import type { AttackTarget } from "./target.js";

/** How often each attack was answered in which way. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Attackers {
  /** Ends them and returns what they were answered. */
  stop(): Promise<Outcomes>;
}

/** What the process of the attackers is sent first. */
export interface AttackOrder {
  readonly target: AttackTarget;
  /** The attacks that are made; empty: all. */
  readonly only: readonly string[];
}

export function startAttackers(target: AttackTarget, only: readonly string[]): Attackers {
  const child = startSlowly("./attacking.ts");
  const outcomes = new Promise<Outcomes>((resolve, reject) => {
    child.once("message", (message) => resolve(message as Outcomes));
    child.once("exit", () => reject(new Error("the attackers ended too early")));
  });
  outcomes.catch(() => undefined);
  child.send({ target, only } satisfies AttackOrder);
  return {
    stop() {
      child.send("stop");
      return outcomes;
    },
  };
}

/** Starts the engines that misbehave. */
export async function startEngines(): Promise<EngineUrls & { close(): void }> {
  const child = startSlowly("./engine-process.ts");
  const [urls] = (await once(child, "message")) as [EngineUrls];
  return { ...urls, close: () => void child.kill("SIGKILL") };
}

function startSlowly(file: string): ChildProcess {
  const child = spawnScript(new URL(file, import.meta.url), [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
}
