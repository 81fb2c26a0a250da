/**
 * Runs jobs in a separate process, so that a schema that crashes or blocks it is counted and does not end the
 * benchmark.
 */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startProcess } from "../processes.js";
import type { Answer, Job, Lost, Message } from "./verdict.js";

/** The time that the process may be silent, per step of a job. */
const silenceMsMax = 5000;
/** The time to load llama.cpp on a busy machine. */
const startMsMax = 60_000;

export interface Pool {
  run(job: Job): Promise<Answer | Lost>;
  close(): void;
}

/** @param stderr "ignore" hides the messages of llama.cpp */
export function createPool(stderr: "inherit" | "ignore"): Pool {
  let child: ChildProcess | null = null;

  const ready = async (): Promise<ChildProcess> => {
    if (child !== null) return child;
    const program = fileURLToPath(new URL("./child.ts", import.meta.url));
    const started = startProcess(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
      stdio: ["ignore", "ignore", stderr, "ipc"],
    });
    const first = await listen(started, startMsMax, (message) => message.type === "alive");
    if ("kind" in first) throw new Error(`the evaluation process ${first.kind} while it started`);
    child = started;
    return started;
  };

  return {
    async run(job) {
      const process_ = await ready();
      process_.send(job);
      const heard = await listen(process_, silenceMsMax, (message) => message.type === "done");
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

/** Returns the first matching message; Lost if the process dies or is silent for too long. */
function listen(
  child: ChildProcess,
  silenceMs: number,
  wanted: (message: Message) => boolean,
): Promise<Message | Lost> {
  return new Promise((resolve) => {
    let stage = "start";
    const end = (result: Message | Lost): void => {
      clearTimeout(timer);
      child.off("message", hear);
      child.off("exit", died);
      resolve(result);
    };
    const died = (): void => end({ kind: "crashed", stage });
    const hear = (message: Message): void => {
      timer.refresh();
      if (message.type === "alive") stage = message.stage;
      if (wanted(message)) end(message);
    };
    const timer = setTimeout(() => end({ kind: "hung", stage }), silenceMs);
    child.on("message", hear);
    child.once("exit", died);
  });
}
