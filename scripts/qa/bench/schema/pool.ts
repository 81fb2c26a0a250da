/**
 * Runs jobs in a separate process, so that a schema that crashes or blocks it is counted and does not end the
 * benchmark.
 */
import type { ChildProcess } from "node:child_process";
import { mainThreadCpuMs, spawnScript } from "../../world/processes.js";
import type { ChildAnswer, Job, Lost, ChildMessage } from "./verdict.js";

/** CPU time of the process per step of a job, so that a busy machine changes no result. */
const stepCpuMsMax = 5000;
/** Time per step on the clock, also for loading llama.cpp: a process that waits forever uses no CPU time. */
const stepMsMax = 60_000;
const lookEveryMs = 500;

export interface Pool {
  run(job: Job): Promise<ChildAnswer | Lost>;
  close(): void;
}

/** @param stderr "ignore" hides the messages of llama.cpp */
export function createPool(stderr: "inherit" | "ignore"): Pool {
  let child: ChildProcess | null = null;

  const ready = async (): Promise<ChildProcess> => {
    if (child !== null) return child;
    const started = spawnScript(new URL("./child.ts", import.meta.url), [], {
      stdio: ["ignore", "ignore", stderr, "ipc"],
    });
    const first = await listen(started, (message) => message.type === "alive");
    if ("kind" in first) throw new Error(`the evaluation process ${first.kind} while it started`);
    child = started;
    return started;
  };

  return {
    async run(job) {
      const process_ = await ready();
      process_.send(job);
      const heard = await listen(process_, (message) => message.type === "done");
      if ("kind" in heard) {
        process_.kill("SIGKILL");
        child = null;
        return heard;
      }
      if (heard.type !== "done") throw new Error("the evaluation process ended a job without an answer");
      return heard.answer;
    },
    close() {
      child?.disconnect();
      child = null;
    },
  };
}

/** Returns the first matching message; Lost if the process dies or a step takes too long. */
function listen(
  child: ChildProcess,
  wanted: (message: ChildMessage) => boolean,
): Promise<ChildMessage | Lost> {
  return new Promise((resolve) => {
    let stage = "start";
    let [began, cpuBefore] = [performance.now(), cpuMs(child)];
    const end = (result: ChildMessage | Lost): void => {
      clearInterval(timer);
      child.off("message", hear);
      child.off("exit", died);
      resolve(result);
    };
    const died = (): void => end({ kind: "crashed", stage });
    const hear = (message: ChildMessage): void => {
      [began, cpuBefore] = [performance.now(), cpuMs(child)];
      if (message.type === "alive") stage = message.stage;
      if (wanted(message)) end(message);
    };
    const timer = setInterval(() => {
      if (performance.now() - began > stepMsMax || cpuMs(child) - cpuBefore > stepCpuMsMax)
        end({ kind: "hung", stage });
    }, lookEveryMs);
    child.on("message", hear);
    child.once("exit", died);
  });
}

/** Returns the CPU time of the process; 0 when it has ended. */
function cpuMs({ pid, exitCode, signalCode }: ChildProcess): number {
  return pid === undefined || exitCode !== null || signalCode !== null ? 0 : mainThreadCpuMs(pid);
}
