/** Starts the attackers in a process of their own, at the lowest priority: they must not slow the clients that are measured. */
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { startProcess } from "../../bench/processes.js";
import type { Target } from "./scene.js";

/** How often each attack was answered in which way. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Attackers {
  /** Ends them and returns what they were answered. */
  stop(): Promise<Outcomes>;
}

export function startAttackers(target: Target): Attackers {
  const program = fileURLToPath(new URL("./attacking.ts", import.meta.url));
  const child = startProcess(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const outcomes = new Promise<Outcomes>((resolve, reject) => {
    child.once("message", (message) => resolve(message as Outcomes));
    child.once("exit", () => reject(new Error("the attackers ended too early")));
  });
  outcomes.catch(() => undefined);
  child.send(target);
  return {
    stop() {
      child.send("stop");
      return outcomes;
    },
  };
}
